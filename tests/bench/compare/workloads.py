"""What every system is asked to do: requests in token ids, one JSON line each.

The lines are those that `quire bench` reads. All requests arrive at once, or each
when the one before has ended; all are sampled greedily and run to max_tokens.
"""

import dataclasses
import json
import math
import random

# Ids below are control tokens of the vocabularies in use.
FIRST_ORDINARY_TOKEN = 17


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    vocabulary: int


SMOLLM2 = Model("smollm2", vocabulary=49152)
RANDOM_1B = Model("random-1b", vocabulary=32000)


@dataclasses.dataclass(frozen=True)
class Lengths:
    """Tokens of a prompt or an answer: log-normal, or always `mean` where sigma is 0."""

    mean: int
    sigma: float = 0.0
    least: int = 1
    most: int = 1 << 20

    def draw(self, rng):
        mu = math.log(self.mean) - self.sigma**2 / 2
        return min(self.most, max(self.least, round(rng.lognormvariate(mu, self.sigma))))

    def limited_to(self, most):
        return dataclasses.replace(self, mean=min(self.mean, most), most=min(self.most, most))


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    model: Model
    num_requests: int
    prompt: Lengths
    output: Lengths
    common_prefix: int = 0  # Tokens with which all prompts begin, before their own.
    sequential: bool = False

    @property
    def counts_prompt(self):
        """Whether its figure is prompt tokens a second: where nothing else is asked for."""
        return self.output.mean == 1

    @property
    def is_even(self):
        """Whether all requests are of the same lengths, at once, with nothing in common."""
        return not (self.prompt.sigma or self.output.sigma or self.common_prefix or self.sequential)

    def requests(self, seed):
        """The same seed gives the same requests; two seeds share no prefix."""
        rng = random.Random(f"{self.name} {seed}")
        prefix = self._tokens(rng, self.common_prefix)
        return [
            {
                "id": i,
                "arrival_s": 0,
                "prompt_ids": prefix + self._tokens(rng, self.prompt.draw(rng)),
                "max_tokens": self.output.draw(rng),
            }
            for i in range(self.num_requests)
        ]

    def _tokens(self, rng, count):
        return [rng.randrange(FIRST_ORDINARY_TOKEN, self.model.vocabulary) for _ in range(count)]

    def shortened(self, most_output):
        """The same prompts with short answers: to warm up, or for a quick look."""
        return dataclasses.replace(self, output=self.output.limited_to(most_output))


def write(requests, path):
    with open(path, "w", encoding="utf-8") as file:
        for request in requests:
            file.write(json.dumps(request) + "\n")


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _decode(model, streams, prefix=""):
    return Workload(f"{prefix}decode_{streams}", model, streams, Lengths(128), Lengths(128))


def _prefill(model, tokens, prefix=""):
    return Workload(f"{prefix}prefill_{tokens}", model, 4, Lengths(tokens), Lengths(1),
                    sequential=True)


# Lengths of chat and instruct are like those of ShareGPT and Alpaca in the paper on
# PagedAttention.
ALL = [
    *[_decode(SMOLLM2, streams) for streams in (1, 8, 32, 64)],
    _prefill(SMOLLM2, 2048),
    Workload("shared_64", SMOLLM2, 64, Lengths(32), Lengths(64), common_prefix=1024),
    Workload("chat_64", SMOLLM2, 64, Lengths(161, 1.0, 4, 1024), Lengths(338, 0.8, 4, 1024)),
    Workload("instruct_128", SMOLLM2, 128, Lengths(19, 0.6, 4, 512), Lengths(58, 0.8, 4, 512)),
    *[_decode(RANDOM_1B, streams, "1b_") for streams in (1, 8, 32)],
    _prefill(RANDOM_1B, 512, "1b_"),
]

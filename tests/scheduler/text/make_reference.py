#!/usr/bin/env python3
"""Trains small vocabularies and writes what the `tokenizers` and `sentencepiece` libraries make of random strings.

For each kind of tokenizer, below the output folder: KIND/tokenizer.json (and tokenizer_config.json) or KIND.gguf or both,
and KIND.jsonl with one string a line: `text`; `ids` without added tokens, special tokens recognised; where they are not
the same, `plain_ids` with special tokens taken as text and `full_ids` with the model's own rule. `sentencepiece` tells
`plain_ids` only.

Strings are made of characters that Unicode 14 assigns, the version of PCRE2 10.42 and of Python 3.11, less the few marks
that the normalizer of `tokenizers`, which is older, does not know yet.
"""

import argparse
import collections
import json
import os
import random
import tempfile
import unicodedata

import gguf
import sentencepiece
import tokenizers
from tokenizers import AddedToken, Regex, decoders, normalizers, pre_tokenizers, processors, trainers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")

assert unicodedata.unidata_version == "14.0.0", "run this with Python 3.11"


def is_known_mark(character):
  """Whether it goes to its place among other marks."""
  text = "a\u0301" + character + "\u0323"
  return normalizers.NFC().normalize_str(text) == unicodedata.normalize("NFC", text)


def assigned_characters():
  for code in range(0x110000):
    character = chr(code)
    if unicodedata.category(character) in ("Cn", "Cs"):
      continue
    if unicodedata.combining(character) == 0 or is_known_mark(character):
      yield character


CHARACTERS = collections.defaultdict(list)  # By general category.
PLANES = collections.defaultdict(list)
for assigned in assigned_characters():
  CHARACTERS[unicodedata.category(assigned)].append(assigned)
  PLANES[ord(assigned) >> 16].append(assigned)
SPACES = [" ", "  ", "   ", "\n", "\r\n", "\r", "\t", "\n\n", " \n", "\n ", "\u00a0", "\u2003", "\u3000", "\u2028",
          "\u180e", "\u200b", "\u0085", "\x0b", "\x1c", "\ufeff", "\u2581", "\u1680", "\u202f", "\u205f"]
CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'RE", "'Ll", "\u2019s", "'\u017f", "'sT", "''d"]
EMOJI = ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f",
         "\U0001f3f4\U000e0067\U000e0062\U000e007f", "1\ufe0f\u20e3"]
DIGITS = ["0", "12", "345", "6789", "\u0664\u0665", "\u0967\u0968\u0969", "\u00bd", "\u2167", "\u00b2", "\u3007",
          "\u2460", "\U0001d7d8\U0001d7d9", "\u0be7"]
MARKS = ["e\u0301", "\u0301", "a\u0323\u0307", "a\u0307\u0323", "\u1e69", "s\u0323\u0307", "\u1100\u1161\u11a8",
         "\uac00\u11a8", "\u212b", "\u0344", "\u0958", "\ufb1d", "\u0f73", "\U0001d15e", "o\u0302\u0301\u0328"]
WORDS = ("the quick brown fox jumps over a lazy dog because it's what they'd do don't can't we'll understanding tokenizer "
         "naïve café Straße größer Ünïcödé Привет мир как дела 你好世界 日本語のテキスト こんにちは 한국어 문장 مرحبا "
         "بالعالم שלום עולם नमस्ते दुनिया สวัสดีชาวโลก Γειά σου Κόσμε việt nam def return self.value == None != 0x1F "
         "https://example.org/a?b=c foo_bar CamelCase SCREAMING_CASE e.g. 3.14 1,000,000 100% #hash @at $9.99 (a+b)*c").split(" ")
SYLLABLES = "ba be bi co ca ci du da do fa fi go ke la li mo na no pa ra re se ta ti vo ing tion er est ly um".split(" ")
SPECIALS = ["<|end|>", "<|start|>", "<tool>", "<|strip|>", "<|word|>", "<caf\u00e9>", "</s>", "<s>", "<unk>"]
SPECIAL_PIECES = ["<|end", "|>", "<|", "end|>", "<to", "ol>", "<|end|", "<0x0A>", "word", "<|word|>s", "<cafe\u0301>",
                  "<s", "/s>", "<|start|end|>"]


def made_up_word(rng):
  return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(1, 4)))


def random_piece(rng):
  kind = rng.randrange(14)
  if kind == 0:
    return "".join(rng.choice(PLANES[rng.choice(sorted(PLANES))]) for _ in range(rng.randint(1, 4)))
  if kind == 1:
    return "".join(rng.choice(CHARACTERS[rng.choice(sorted(CHARACTERS))]) for _ in range(rng.randint(1, 4)))
  if kind == 2:
    return "".join(chr(rng.randrange(0x20, 0x7f)) for _ in range(rng.randint(1, 8)))
  if kind == 3:
    return rng.choice("abcxyz \n.1'") * rng.randint(2, 70)
  if kind in (4, 5):
    return rng.choice(SPACES)
  lists = [CONTRACTIONS, EMOJI, DIGITS, MARKS, SPECIALS, SPECIAL_PIECES]
  if kind - 6 < len(lists):
    return rng.choice(lists[kind - 6])
  return " ".join(rng.choice([rng.choice(WORDS), made_up_word(rng)]) for _ in range(rng.randint(1, 5)))


def random_string(rng):
  return "".join(random_piece(rng) for _ in range(rng.randint(0, 8)))


def corpus(rng):
  """Enough repeated words for merges to be worth learning, in many scripts, with runs of blanks and signs."""
  words = WORDS + [made_up_word(rng) for _ in range(600)]
  weights = [1 / (1 + i % 40) for i in range(len(words))]
  for _ in range(3000):
    line = " ".join(rng.choices(words, weights, k=rng.randint(3, 12)))
    yield line + rng.choice(["", "", ".", "!", "\n", "  ", "\n\n", " == ", "...", "'s", "12", " 345", "    "])


# --- Byte-level kinds -------------------------------------------------------------------------------------------------


def train_byte_level(rng, vocabulary_size, pre_tokenizer, normalizer=None, ignore_merges=False):
  tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=ignore_merges))
  tokenizer.pre_tokenizer = pre_tokenizer
  if normalizer is not None:
    tokenizer.normalizer = normalizer
  tokenizer.decoder = decoders.ByteLevel()
  trainer = trainers.BpeTrainer(vocab_size=vocabulary_size, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
                                show_progress=False)
  tokenizer.train_from_iterator(list(corpus(rng)), trainer)
  tokenizer.add_special_tokens(["<|end|>", "<|start|>"])
  tokenizer.add_tokens([AddedToken("<tool>", normalized=False)])
  return tokenizer


def add_odd_tokens(tokenizer):
  """Tokens with flags that a GGUF file cannot carry."""
  tokenizer.add_special_tokens([AddedToken("<|strip|>", lstrip=True, rstrip=True, normalized=False, special=True)])
  tokenizer.add_tokens([AddedToken("<|word|>", single_word=True, normalized=False), AddedToken("<caf\u00e9>", normalized=True)])


def use_template(tokenizer, before, after):
  pieces = before + ["$A"] + after
  tokenizer.post_processor = processors.Sequence([
      processors.ByteLevel(trim_offsets=False),
      processors.TemplateProcessing(
          single=" ".join(pieces),
          special_tokens=[(text, tokenizer.token_to_id(text)) for text in dict.fromkeys(before + after)]),
  ])


def forget_some_words(tokenizer, every):
  """Drops merges, so that some words are tokens which merging does not reach: what ignore_merges is for."""
  data = json.loads(tokenizer.to_str())
  merges = data["model"]["merges"]
  results = {"".join(merge): i for i, merge in enumerate(merges)}
  used = {part for merge in merges for part in merge}
  final = [i for text, i in results.items() if text not in used][::every]
  data["model"]["merges"] = [merge for i, merge in enumerate(merges) if i not in set(final)]
  return tokenizers.Tokenizer.from_str(json.dumps(data))


def byte_level(*stages):
  return pre_tokenizers.Sequence(list(stages) + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def split(pattern, behavior="isolated", invert=False):
  return pre_tokenizers.Split(pattern, behavior, invert)


def make_gpt2(rng, size):
  tokenizer = train_byte_level(rng, size, pre_tokenizers.ByteLevel(add_prefix_space=False))
  return tokenizer


def make_smollm(rng, size):
  return train_byte_level(
      rng, size,
      pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                               pre_tokenizers.ByteLevel(add_prefix_space=False)]))


def make_llama3(rng, size):
  tokenizer = train_byte_level(rng, size, byte_level(split(Regex(LLAMA3))), ignore_merges=True)
  tokenizer = forget_some_words(tokenizer, every=3)
  use_template(tokenizer, ["<|start|>"], [])
  return tokenizer


def make_qwen2(rng, size):
  return train_byte_level(rng, size, byte_level(split(Regex(QWEN2))), normalizer=normalizers.NFC())


def make_flags(rng, size):
  tokenizer = train_byte_level(rng, size, pre_tokenizers.ByteLevel(add_prefix_space=False), normalizer=normalizers.NFC())
  add_odd_tokens(tokenizer)
  use_template(tokenizer, ["<|start|>", "<|start|>"], ["<|end|>"])
  return tokenizer


def make_behaviors1(rng, size):
  return train_byte_level(rng, size, byte_level(
      split(" ", "removed"), pre_tokenizers.Digits(individual_digits=False), split(Regex(r"[a-m]+"), "merged_with_next")))


def make_behaviors2(rng, size):
  return train_byte_level(rng, size, byte_level(
      split(Regex(r"\s+$"), "contiguous"), split(Regex(r"[\p{P}\p{S}]"), "merged_with_previous"),
      split(Regex(r"^.|\d{3}|\S+"), "removed", invert=True)))


# --- SentencePiece kinds ----------------------------------------------------------------------------------------------


def train_sentencepiece(rng, vocabulary_size, byte_fallback):
  with tempfile.TemporaryDirectory() as folder:
    text = os.path.join(folder, "corpus.txt")
    with open(text, "w", encoding="utf-8") as file:
      file.write("\n".join(line.replace("\n", " ") for line in corpus(rng)))
    sentencepiece.SentencePieceTrainer.train(
        input=text, model_prefix=os.path.join(folder, "model"), model_type="bpe", vocab_size=vocabulary_size,
        byte_fallback=byte_fallback, normalization_rule_name="identity", remove_extra_whitespaces=False,
        split_by_whitespace=byte_fallback, character_coverage=0.995, minloglevel=2, num_threads=1)
    return sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "model.model"))


def sentencepiece_types(processor):
  types = []
  for i in range(processor.vocab_size()):
    types.append(gguf.TokenType.UNKNOWN if processor.is_unknown(i) else gguf.TokenType.CONTROL if processor.is_control(i)
                 else gguf.TokenType.BYTE if processor.is_byte(i) else gguf.TokenType.NORMAL)
  return types


def write_sentencepiece_gguf(path, processor):
  writer = gguf.GGUFWriter(path, "llama")
  writer.add_tokenizer_model("llama")
  ids = range(processor.vocab_size())
  writer.add_token_list([processor.id_to_piece(i).encode() for i in ids])
  writer.add_token_scores([processor.get_score(i) for i in ids])
  writer.add_token_types(sentencepiece_types(processor))
  writer.add_bos_token_id(processor.bos_id())
  writer.add_eos_token_id(processor.eos_id())
  writer.add_unk_token_id(processor.unk_id())
  finish(writer)


def sentencepiece_json(processor, **stages):
  """A tokenizer.json as Llama 2's: merges are all ways to put a token together from two, best token first."""
  vocabulary = {processor.id_to_piece(i): i for i in range(processor.vocab_size())}
  merges = []
  for piece, i in vocabulary.items():
    if processor.is_control(i) or processor.is_unknown(i) or processor.is_byte(i):
      continue
    halves = [(piece[:k], piece[k:]) for k in range(1, len(piece))]
    halves = [half for half in halves if half[0] in vocabulary and half[1] in vocabulary]
    halves.sort(key=lambda half: (vocabulary[half[0]], vocabulary[half[1]]))
    merges += [(-processor.get_score(i), half) for half in halves]
  merges = [list(half) for _, half in sorted(merges, key=lambda merge: merge[0])]
  added = [{"id": vocabulary[text], "content": text, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True} for text in ("<unk>", "<s>", "</s>")]
  template = {
      "type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [vocabulary["<s>"]], "tokens": ["<s>"]}},
  }
  model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
           "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
           "vocab": vocabulary, "merges": merges}
  return tokenizers.Tokenizer.from_str(json.dumps({
      "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "post_processor": template,
      "decoder": None, "model": model, "normalizer": None, "pre_tokenizer": None, **stages}))


LLAMA2_STAGES = {"normalizer": {"type": "Sequence", "normalizers": [
    {"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]}}


def metaspace(scheme, splits):
  return {"pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": splits}}


# --- Files ------------------------------------------------------------------------------------------------------------


def finish(writer):
  writer.write_header_to_file()
  writer.write_kv_data_to_file()
  writer.write_tensors_to_file()
  writer.close()


def write_byte_level_gguf(path, tokenizer, pre):
  data = json.loads(tokenizer.to_str())
  texts = {i: text for text, i in data["model"]["vocab"].items()}
  types = {i: gguf.TokenType.NORMAL for i in texts}
  for added in data["added_tokens"]:
    texts[added["id"]] = added["content"]
    types[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
  writer = gguf.GGUFWriter(path, "llama")
  writer.add_tokenizer_model("gpt2")
  writer.add_tokenizer_pre(pre)
  writer.add_token_list([texts[i].encode() for i in range(len(texts))])
  writer.add_token_types([types[i] for i in range(len(texts))])
  writer.add_token_merges([" ".join(merge) for merge in data["model"]["merges"]])
  writer.add_bos_token_id(tokenizer.token_to_id("<|start|>"))
  writer.add_eos_token_id(tokenizer.token_to_id("<|end|>"))
  finish(writer)


def write_json(folder, tokenizer, merges_as_text):
  data = json.loads(tokenizer.to_str())
  if merges_as_text:
    data["model"]["merges"] = [" ".join(merge) for merge in data["model"]["merges"]]
  os.makedirs(folder, exist_ok=True)
  with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
    json.dump(data, file, ensure_ascii=False, separators=(",", ":"))


def write_lines(path, strings, lines_of):
  with open(path, "w", encoding="utf-8") as file:
    for text in strings:
      file.write(json.dumps({"text": text, **lines_of(text)}, separators=(",", ":")) + "\n")


def ids_of_tokenizer(tokenizer):
  def lines(text):
    tokenizer.encode_special_tokens = True
    plain = tokenizer.encode(text, add_special_tokens=False).ids
    tokenizer.encode_special_tokens = False
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    full = tokenizer.encode(text, add_special_tokens=True).ids
    others = {"plain_ids": plain, "full_ids": full}
    return {"ids": ids, **{key: other for key, other in others.items() if other != ids}}
  return lines


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("out")
  parser.add_argument("--strings", type=int, default=10000)
  parser.add_argument("--vocabulary", type=int, default=1500)
  parser.add_argument("--seed", type=int, default=1)
  options = parser.parse_args()
  os.makedirs(options.out, exist_ok=True)

  def rng(purpose):
    return random.Random(f"{options.seed} {purpose}")

  def strings(kind):
    generator = rng("strings " + kind)
    return [random_string(generator) for _ in range(options.strings)]

  def path(name):
    return os.path.join(options.out, name)

  makers = {"gpt2": (make_gpt2, "gpt-2"), "smollm": (make_smollm, "smollm"), "llama3": (make_llama3, "llama-bpe"),
            "qwen2": (make_qwen2, "qwen2"), "flags": (make_flags, None), "behaviors1": (make_behaviors1, None),
            "behaviors2": (make_behaviors2, None)}
  for kind, (make, pre) in makers.items():
    tokenizer = make(rng("corpus " + kind), options.vocabulary)
    write_json(path(kind), tokenizer, merges_as_text=kind in ("gpt2", "flags"))
    if pre is not None:
      write_byte_level_gguf(path(kind + ".gguf"), tokenizer, pre)
    write_lines(path(kind + ".jsonl"), strings(kind), ids_of_tokenizer(tokenizer))

  for kind, byte_fallback in (("sentencepiece", True), ("sentencepiece_unk", False)):
    processor = train_sentencepiece(rng("corpus " + kind), options.vocabulary, byte_fallback)
    write_sentencepiece_gguf(path(kind + ".gguf"), processor)
    write_lines(path(kind + ".jsonl"), strings(kind), lambda text: {"plain_ids": processor.encode(text)})

  processor = train_sentencepiece(rng("corpus sentencepiece"), options.vocabulary, True)
  for kind, stages in (("llama2", LLAMA2_STAGES), ("metaspace_first", metaspace("first", False)),
                       ("metaspace_split", metaspace("always", True))):
    tokenizer = sentencepiece_json(processor, **stages)
    write_json(path(kind), tokenizer, merges_as_text=kind == "llama2")
    write_lines(path(kind + ".jsonl"), strings(kind), ids_of_tokenizer(tokenizer))


if __name__ == "__main__":
  main()

"""vllm_driver.py MODEL_FOLDER KV_CACHE_GIB: vLLM's CPU engine, offline."""

import os
import sys

import driver_loop

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["VLLM_CPU_KVCACHE_SPACE"] = sys.argv[2]
# Left alone it keeps a core free for a server, which is half of two.
os.environ["VLLM_CPU_OMP_THREADS_BIND"] = ",".join(map(str, sorted(os.sched_getaffinity(0))))


def load():
    import vllm

    engine = vllm.LLM(sys.argv[1], dtype="bfloat16", max_model_len=4096, max_num_seqs=256,
                      enable_prefix_caching=True)

    def generate(requests):
        prompts = [{"prompt_token_ids": request["prompt_ids"]} for request in requests]
        sampling = [vllm.SamplingParams(temperature=0, ignore_eos=True, detokenize=False,
                                        max_tokens=request["max_tokens"]) for request in requests]
        results = engine.generate(prompts, sampling, use_tqdm=False)
        return (sum(len(result.outputs[0].token_ids) for result in results),
                sum(result.num_cached_tokens or 0 for result in results))

    return generate


# The engine's own process imports this file again.
if __name__ == "__main__":
    driver_loop.serve(load)

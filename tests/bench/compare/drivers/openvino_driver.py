"""openvino_driver.py MODEL.gguf KV_CACHE_GIB: OpenVINO GenAI's continuous batching."""

import sys

import driver_loop
import numpy
import openvino
import openvino_genai


def load():
    scheduling = openvino_genai.SchedulerConfig()
    scheduling.cache_size = int(sys.argv[2])
    scheduling.enable_prefix_caching = True
    scheduling.max_num_seqs = 256
    scheduling.max_num_batched_tokens = 2048
    pipeline = openvino_genai.ContinuousBatchingPipeline(sys.argv[1], scheduling, "CPU")
    next_id = 0

    def start(request):
        nonlocal next_id
        next_id += 1
        sampling = openvino_genai.GenerationConfig()
        sampling.do_sample = False
        sampling.ignore_eos = True
        sampling.max_new_tokens = request["max_tokens"]
        prompt = openvino.Tensor(numpy.array([request["prompt_ids"]], dtype=numpy.int64))
        return pipeline.add_request(next_id, prompt, sampling)

    def generate(requests):
        handles = [start(request) for request in requests]
        while pipeline.has_non_finished_requests():
            pipeline.step()
        outputs = [output for handle in handles for output in handle.read_all()]
        return sum(len(output.generated_ids) for output in outputs), None

    return generate


driver_loop.serve(load)

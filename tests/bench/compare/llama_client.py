"""A client of llama.cpp's server, for prompts in token ids."""

import http.client
import json
import threading


def _complete(address, request):
    """Tokens of the answer, and of the prompt those that were found in the cache."""
    connection = http.client.HTTPConnection(address)
    body = {
        "prompt": request["prompt_ids"],
        "n_predict": request["max_tokens"],
        "ignore_eos": True,
        "temperature": 0,
        "top_k": 1,
        "cache_prompt": True,
    }
    try:
        connection.request("POST", "/completion", json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise RuntimeError(f"HTTP status {answer.status}: {text[:200].decode(errors='replace')}")
    fields = json.loads(text)
    return fields["tokens_predicted"], fields["timings"].get("cache_n", 0)


def play(address, requests, sequential):
    """Plays the requests, all at once or one after another; gives the sums of _complete."""
    if sequential:
        results = [_complete(address, request) for request in requests]
        return tuple(map(sum, zip(*results)))
    results = [None] * len(requests)

    def work(i):
        try:
            results[i] = _complete(address, requests[i])
        except (OSError, RuntimeError, http.client.HTTPException) as error:
            results[i] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return tuple(map(sum, zip(*results)))

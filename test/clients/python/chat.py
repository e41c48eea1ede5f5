"""The openai package against a server of ours: prints what it understood, as JSON."""

import json
import os

import openai


def client(key, retries=0):
    return openai.OpenAI(api_key=key, base_url=os.environ["URL"] + "/v1", max_retries=retries)


def error_of(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code]
    return None


full = client(os.environ["FULL"])
hello = [{"role": "user", "content": "Good morning"}]
plain = full.chat.completions.create(model="plain", messages=hello)
chunks = list(
    full.chat.completions.create(model="plain", messages=hello, stream=True, stream_options={"include_usage": True})
)
print(
    json.dumps(
        {
            "models": [model.id for model in full.models.list()],
            "model": full.models.retrieve("plain").id,
            "content": plain.choices[0].message.content,
            "finish": plain.choices[0].finish_reason,
            "total": plain.usage.total_tokens == plain.usage.prompt_tokens + plain.usage.completion_tokens > 0,
            "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
            "streamed_usage": chunks[-1].usage.total_tokens > 0,
            "errors": [
                error_of(lambda: client("fb_wrong").models.list()),
                error_of(lambda: client(os.environ["FEW"]).chat.completions.create(model="plain", messages=hello)),
                error_of(lambda: full.chat.completions.create(model="nobody", messages=hello)),
                error_of(lambda: full.chat.completions.create(model="plain", messages=hello, tools=[])),
                error_of(
                    lambda: client(os.environ["FULL"], retries=2).chat.completions.create(
                        model="payer", messages=[{"role": "user", "content": '{"amount":3}'}]
                    )
                ),
            ],
        }
    )
)

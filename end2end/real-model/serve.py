#!/usr/bin/env python3
"""serve.py ARGUMENTS: llama.cpp's server as its packages start it, made to offer a model its tools and to come to an end.

With chatml-function-calling it shows tools only to who names a tool_choice, which everybody else takes for granted, and then lets
each answer grow for ever, which so small a model does.
"""
import functools
import runpy

import llama_cpp
from llama_cpp import llama_chat_format

# Tokens of one completion.
MOST = 48

complete = llama_cpp.Llama.create_completion


@functools.wraps(complete)
def short(self, *positional, max_tokens=MOST, **named):
    return complete(self, *positional, max_tokens=min(max_tokens or MOST, MOST), **named)


llama_cpp.Llama.create_completion = short

handlers = llama_chat_format.LlamaChatCompletionHandlerRegistry()
answer = handlers.get_chat_completion_handler_by_name("chatml-function-calling")


@functools.wraps(answer)
def offering(*, tools=None, tool_choice=None, stream=False, **named):
    # It cannot do both.
    choice = tool_choice or ("auto" if tools and not stream else None)
    return answer(tools=tools, tool_choice=choice, stream=stream, **named)


handlers.register_chat_completion_handler("chatml-function-calling", offering, overwrite=True)
runpy.run_module("llama_cpp.server", run_name="__main__")

"""How a request is served under ASGI: in one of a fixed number of threads, from the first middleware to the view.

Django's own handler takes a new thread for every request, and changes between thread and event loop at every
middleware. A connection belongs to its thread, so each request would open one, a rush of requests more than the server
allows; and the changes cost more processor time than a small request itself (measured, a page of one row: 10.4 ms
against 4.2 ms).
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from asgiref.sync import SyncToAsync, ThreadSensitiveContext, sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

T = TypeVar("T")
App = Callable[..., Awaitable[None]]  # an ASGI application: (scope, receive, send)


class OneThreadHandler(ASGIHandler):
    """Django's ASGI handler with signals, middleware, view and closing in one piece of synchronous work.

    Django's own goes to the thread once for each signal and once to close; and it listens for a disconnect that could
    not stop synchronous work anyway. Only a streamed answer still ends when its reader has gone.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        try:
            body_file = await self.read_body(receive)
        except RequestAborted:
            return
        try:
            response = await sync_to_async(self._answer, thread_sensitive=True)(scope, body_file)
            if response.streaming:
                await self._stream(response, receive, send)
            else:
                await self.send_response(response, send)
        finally:
            body_file.close()

    def _answer(self, scope: dict[str, Any], body_file: Any) -> HttpResponseBase:
        """The whole request, in its thread. What is not streamed is closed here, which ends the request for Django."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, refused = self.create_request(scope, body_file)
        response: Any = refused if request is None else self.get_response(request)
        response._handler_class = self.__class__  # as Django's own does
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
        return response  # type: ignore[no-any-return]

    async def _stream(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        sending = asyncio.ensure_future(self.send_response(response, send))
        gone = asyncio.ensure_future(receive())  # after the body nothing comes but the disconnect
        try:
            await asyncio.wait([sending, gone], return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, gone):
                task.cancel()
            await asyncio.gather(sending, gone, return_exceptions=True)
            await sync_to_async(response.close, thread_sensitive=True)()


class RequestThreads:
    """Wraps an ASGI application. A context that is entered already is kept by asgiref, so Django uses ours."""

    def __init__(self, app: App, *, threads: int) -> None:
        self.app, self.threads = app, threads
        self._free: asyncio.LifoQueue[ThreadSensitiveContext] | None = None  # the last used is the warmest

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        free = self._queue()
        context = await free.get()
        token = SyncToAsync.thread_sensitive_context.set(context)
        try:
            await self.app(scope, receive, send)
        finally:
            SyncToAsync.thread_sensitive_context.reset(token)
            free.put_nowait(context)

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Call this in one of the threads, with whatever connection the requests before it have left there."""
        free = self._queue()
        context = await free.get()
        try:
            executors = SyncToAsync.context_to_thread_executor  # asgiref's own: one thread for each context
            executor = executors.get(context)
            if executor is None:
                executor = executors.setdefault(context, ThreadPoolExecutor(max_workers=1))
            return await asyncio.get_running_loop().run_in_executor(executor, work, *given)
        finally:
            free.put_nowait(context)

    def _queue(self) -> "asyncio.LifoQueue[ThreadSensitiveContext]":
        if self._free is None:  # made inside the running loop
            self._free = asyncio.LifoQueue()
            for _ in range(self.threads):
                self._free.put_nowait(ThreadSensitiveContext())
        return self._free

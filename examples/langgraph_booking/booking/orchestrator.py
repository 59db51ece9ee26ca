"""One tenant's conversations: LangGraph keeps their state in the tenant's schema, between turns and callbacks."""

import json
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from booking.desk import FrontDesk
from booking.machine import IllegalEvent
from booking.model import ChatModel
from booking.rails import PaymentRails
from booking.store import BookingStore

MAX_ROUNDS = 4  # of tools within one turn
_CLOSED = "This conversation has ended. Write again to start a new one."


def _appended(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*old, *new]


class ConversationState(TypedDict, total=False):
    """What a checkpoint holds."""

    messages: Annotated[list[dict[str, Any]], _appended]
    fsm: str


class AgentTurn(NamedTuple):
    """A reply, and the model's tool calls in OpenAI's form, each with its `result`."""

    content: str
    tool_calls: list[dict[str, Any]]


class BookingOrchestrator:
    """Turns, payment callbacks and time-outs of one tenant. `log` gets each event as keywords, with its event_type."""

    def __init__(
        self,
        saver: Any,
        store: BookingStore,
        model: ChatModel,
        rails: PaymentRails,
        log: Callable[..., None],
    ) -> None:
        self.store, self.model, self.rails, self.log = store, model, rails, log
        self.graph = build_graph(self).compile(checkpointer=saver)

    def say(self, thread_id: str, text: str) -> str:
        """One turn of the customer, and the reply."""
        return self.turn(thread_id, text).content

    def turn(self, thread_id: str, text: str) -> AgentTurn:
        """One turn of the customer: the reply, and what the model called for it."""
        if self.state(thread_id) in ("confirmed", "handed_over", "closed"):
            return AgentTurn(_CLOSED, [])
        found = self.graph.invoke({"messages": [{"role": "user", "content": text}]}, _thread(thread_id))
        messages = found["messages"]
        last_user = max(n for n, one in enumerate(messages) if one["role"] == "user")
        results = {one["tool_call_id"]: one["content"] for one in messages[last_user:] if one["role"] == "tool"}
        calls = [call for one in messages[last_user:] for call in one.get("tool_calls", ())]
        return AgentTurn(str(messages[-1]["content"]), [{**call, "result": results.get(call["id"])} for call in calls])

    def state(self, thread_id: str) -> str:
        """Where the conversation stands."""
        return str(self.graph.get_state(_thread(thread_id)).values.get("fsm") or "greeting")

    def payment_callback(self, callback: dict[str, Any]) -> None:
        """What a rail tells later. Money for a payment that was cancelled goes back; other late news change nothing."""
        reference, result, receipt = self.rails.outcome(callback)
        payment = self.store.payment(reference)
        if payment is None:
            self.log("payment_unknown", reference=reference)
            return
        thread_id = payment["thread_id"]
        desk = self.desk(thread_id)
        if payment["status"] == "PAYMENT_PENDING":
            event, status = {
                "paid": ("payment_confirmed", "PAYMENT_CONFIRMED"),
                "cancelled": ("payment_cancelled", "PAYMENT_CANCELLED_BY_CUSTOMER"),
                "failed": ("payment_failed", "PAYMENT_FAILED"),
            }[result]
            self._moved(desk, event)
            self.store.settle(payment["id"], status, receipt=receipt)
        elif payment["status"] == "PAYMENT_CANCELLED_BY_CUSTOMER" and result == "paid":
            self.rails.reverse(payment["rail"], receipt=receipt, amount_kes=payment["amount_kes"])
            self.store.settle(payment["id"], "PAYMENT_REVERSED", receipt=receipt)
            self.log("payment_reversed", conversation_id=thread_id, rail=payment["rail"], receipt=receipt)
            self._moved(desk, "late_payment_reversed")
        self.graph.update_state(_thread(thread_id), {"fsm": desk.state}, as_node="tools")

    def timeout(self, thread_id: str) -> None:
        """The customer went silent."""
        desk = self.desk(thread_id)
        desk.move("timeout")
        self.graph.update_state(_thread(thread_id), {"fsm": desk.state}, as_node="tools")

    def desk(self, thread_id: str, state: str = "") -> FrontDesk:
        """The tools of a conversation, from where it stands."""

        def log(event_type: str, **what: Any) -> None:
            self.log(event_type, conversation_id=thread_id, **what)

        return FrontDesk(self.store, self.rails, log, thread_id, state or self.state(thread_id))

    def _moved(self, desk: FrontDesk, event: str) -> None:
        try:
            desk.move(event)
        except IllegalEvent as error:  # the conversation went on, to a person or to its end: money is settled anyway
            desk.log("event_ignored", why=str(error))


def build_graph(orchestrator: BookingOrchestrator) -> "StateGraph[ConversationState]":
    """model -> tools -> model, until the model has words for the customer."""

    def model(state: ConversationState) -> ConversationState:
        message = orchestrator.model.ask(state["messages"])
        kept = {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key)}
        return {"messages": [{"content": "", **kept}]}

    def tools(state: ConversationState, config: RunnableConfig) -> ConversationState:
        desk = orchestrator.desk(config["configurable"]["thread_id"], state.get("fsm") or "greeting")
        said = [one["content"] for one in state["messages"] if one["role"] == "user"]
        answers = []
        for call in state["messages"][-1]["tool_calls"]:
            answer = desk.call(call["function"]["name"], json.loads(call["function"]["arguments"]), said)
            answers.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(answer)})
        return {"messages": answers, "fsm": desk.state}

    def where(state: ConversationState) -> str:
        last_user = max(n for n, one in enumerate(state["messages"]) if one["role"] == "user")
        rounds = sum("tool_calls" in one for one in state["messages"][last_user:])
        return "tools" if state["messages"][-1].get("tool_calls") and rounds <= MAX_ROUNDS else "reply"

    graph = StateGraph(ConversationState)
    graph.add_node("model", model)
    graph.add_node("tools", tools)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", where, {"tools": "tools", "reply": END})
    graph.add_edge("tools", "model")
    return graph


def _thread(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}

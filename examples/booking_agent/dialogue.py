"""The agent's head: one message in, one reply out. Pure: `today` and the seed come from the door."""

import re
from datetime import date

from examples.booking_agent.absorb import absorb
from examples.booking_agent.booking_steps import Steps
from examples.booking_agent.faulty import spoil
from examples.booking_agent.language import Language
from examples.booking_agent.memory import Answer, Memory, Payment
from examples.booking_agent.phrase_sets import PhraseSet
from examples.booking_agent.phrases import booking_words, option_words
from examples.booking_agent.speech import Act, say
from examples.booking_agent.understanding import Asked, Heard, Intent, understand
from examples.booking_agent.weaknesses import Weakness, carried_line, is_stiff, spoken_language

_SIDE_ORDER = (
    (Intent.PIN, "pin_warning"), (Intent.HUMAN, "human"), (Intent.ROBOT, "robot"), (Intent.PLACE, "place"),
    (Intent.HOURS, "hours"), (Intent.DISCOUNT, "discount"), (Intent.SERVICES, "services"),
)  # fmt: skip
_FEELINGS = (
    (Intent.UPSET, "feel_upset"),
    (Intent.TRUST, "feel_trust"),
    (Intent.HURRY, "feel_hurry"),
    (Intent.BUDGET, "feel_budget"),
    (Intent.UNSURE, "feel_unsure"),
)
_PRICE_SAMPLES = ("blow_dry", "box_braids", "manicure")
_CLOSING = frozenset({"goodbye", "goodbye_open"})


class BookingAgent:
    """A salon's booking agent. Holds no conversation itself: the caller keeps a `Memory` for each."""

    def __init__(
        self,
        *,
        today: date,
        seed: int = 0,
        weaknesses: frozenset[Weakness] = frozenset(),
        phrase_set: PhraseSet = PhraseSet.BASELINE,
    ) -> None:
        self.today, self.seed, self.weaknesses, self.phrase_set = today, seed, weaknesses, phrase_set
        self._contact_of: Memory | None = None  # the last conversation that told one; Weakness.REMEMBERS alone reads it

    def reply(self, memory: Memory, text: str) -> Answer:
        """Answer one message. Changes `memory`; the same messages give the same answers."""
        heard = understand(text, today=self.today, asked=memory.asked, previous=memory.language)
        memory.turns += 1
        memory.key = memory.key or heard.text or "-"
        memory.language = heard.language
        language = spoken_language(heard.language, self.weaknesses)
        stiff = is_stiff(language, self.weaknesses)
        steps = Steps(memory, heard, language=language, weaknesses=self.weaknesses, seed=self.seed, today=self.today)
        acts = self._plan(memory, heard, steps)
        acts = spoil(acts, memory, self.weaknesses, price_asked=Intent.PRICE in heard.intents)
        words = booking_words(memory, language, stiff=stiff, phrase_set=self.phrase_set)
        filled = [Act(act.purpose, {**words, **act.words}, act.repeat) for act in acts]
        reply = say(filled, memory=memory, language=language, stiff=stiff, seed=self.seed, phrase_set=self.phrase_set)
        if Weakness.REMEMBERS in self.weaknesses:
            reply = self._carried(memory, reply, language)
        if memory.cancelled:
            _forget(memory)
        return Answer(text=reply, language=language, tools=tuple(steps.tools), ended=memory.ended)

    def _carried(self, memory: Memory, reply: str, language: Language) -> str:
        """The reply to a second message, with what another conversation told before it."""
        other = self._contact_of
        if memory.phone or memory.name:
            self._contact_of = memory
        if other is None or other is memory or memory.turns != 2:
            return reply
        return f"{carried_line(language, other.phone or other.name or '')} {reply}"

    def _plan(self, memory: Memory, heard: Heard, steps: Steps) -> list[Act]:
        """The acts of the reply, before any weakness."""
        memory.ended = False
        moved = absorb(memory, heard, seed=self.seed, today=self.today)
        if self._wants_out(memory, heard):
            return self._cancel(memory, steps)
        farewell = self._farewell(memory, heard, steps)
        if farewell:
            memory.ended = Weakness.NEVER_CLOSES not in self.weaknesses
            return farewell
        side = self._side(memory, heard, steps.language)
        pays_now = memory.payment is Payment.AT_SALON and bool(heard.intents & {Intent.MPESA, Intent.NO_PROMPT})
        if memory.settled and not moved and not pays_now:
            return side or [Act("all_set")]
        asked = memory.asked
        main = steps.next()
        lead: list[Act] = [Act("moved")] if moved else []
        if memory.turns == 1 and not memory.hurried:
            lead = [Act("greet")]
        elif not side and not moved and not memory.hurried:
            if heard.says_nothing_known and asked is memory.asked:
                lead = [Act("off_topic" if "?" in heard.text and re.search("[a-z]", heard.text) else "unclear")]
            elif memory.turns > 1 and main[0].purpose in ("price", "ask_day") and memory.asked is not asked:
                lead = [Act("ack")]
        return [*lead, *side[:2], *main]

    def _wants_out(self, memory: Memory, heard: Heard) -> bool:
        changed_instead = heard.day or heard.time or heard.service
        begun = memory.booked or memory.service or memory.day
        return bool(Intent.CANCEL in heard.intents and begun and not (changed_instead and not memory.booked))

    def _cancel(self, memory: Memory, steps: Steps) -> list[Act]:
        refund = memory.payment is Payment.PAID
        if memory.booked:
            steps.call("cancel_booking", {"date": str(memory.day), "name": memory.name}, {"status": "cancelled"})
        memory.cancelled = True
        memory.ended = Weakness.NEVER_CLOSES not in self.weaknesses
        return [Act("cancelled_refund" if refund else "cancelled"), Act("door_open")]

    def _farewell(self, memory: Memory, heard: Heard, steps: Steps) -> list[Act]:
        """The goodbye that is due now, if any; what is still open with the money is settled on the way out."""
        leaving = Intent.GOODBYE in heard.intents
        if memory.settled:
            questions = heard.intents - {
                Intent.THANKS,
                Intent.GOODBYE,
                Intent.GREETING,
                Intent.ANY,
                Intent.PAID,
                Intent.CASH,
                Intent.BOOK,
            }
            if memory.payment is Payment.PAID:
                questions -= {Intent.MPESA}
            idle = not questions and "?" not in heard.text
            return [Act("goodbye")] if leaving or idle else []
        if not leaving:
            finished = memory.asked is Asked.NOTHING and memory.turns > 1 and not memory.service
            return [Act("goodbye_open")] if finished and (heard.no or Intent.THANKS in heard.intents) else []
        if memory.booked:
            settling = steps.next()
            if memory.payment is Payment.OPEN:
                memory.payment, settling = Payment.AT_SALON, [Act("at_salon")]
                memory.asked = Asked.NOTHING  # the question has answered itself
            return [*(act for act in settling if act.purpose != "see_you"), Act("goodbye")] if memory.settled else []
        said_something = heard.day or heard.time or heard.service
        return [] if said_something or memory.turns == 1 else [Act("goodbye_open")]

    def _side(self, memory: Memory, heard: Heard, language: Language) -> list[Act]:
        """Answers to what was asked by the way."""
        acts = self._empathy(memory, heard)
        acts += [Act(purpose) for intent, purpose in _SIDE_ORDER if intent in heard.intents]
        if Intent.PRICE in heard.intents and Intent.DISCOUNT not in heard.intents:
            if memory.service:
                memory.said_price = True
                acts.append(Act("price"))
            elif not memory.family:
                acts.append(Act("price_list", {"options": self._samples(language)}))
        if Intent.DURATION in heard.intents:
            acts.append(Act("duration" if memory.service else "duration_unknown"))
        booking = heard.day or heard.time or heard.service
        if not acts and Intent.OFF_TOPIC in heard.intents and not booking:
            acts.append(Act("off_topic"))
        return acts

    def _empathy(self, memory: Memory, heard: Heard) -> list[Act]:
        """A word for how the customer feels, once for each feeling."""
        if Weakness.IGNORES_PERSONA in self.weaknesses:
            return []
        feelings = [purpose for intent, purpose in _FEELINGS if intent in heard.intents and purpose not in memory.used]
        return [Act(purpose) for purpose in feelings[:1]]

    def _samples(self, language: Language) -> str:
        joined = option_words(_PRICE_SAMPLES, language, priced=True)
        word = {"en": " or ", "sw": " au ", "mix": " ama "}[language]
        return joined.replace(word, {"en": " and ", "sw": " na ", "mix": " na "}[language])


def _forget(memory: Memory) -> None:
    """After a cancellation: the customer stays, the booking is gone."""
    memory.cancelled = memory.booked = memory.said_price = False
    memory.service = memory.family = memory.period = None
    memory.day = memory.time = memory.wanted_time = memory.booked_time = memory.looked_up = None
    memory.offered = memory.slots = ()
    memory.payment, memory.prefers, memory.asked = Payment.OPEN, None, Asked.NOTHING
    memory.asks.clear()

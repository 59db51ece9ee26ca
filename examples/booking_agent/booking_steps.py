"""What comes next in a booking: one question a turn, a look at the diary, the booking, the payment."""

from datetime import date, time
from typing import Any

from examples.booking_agent import salon
from examples.booking_agent.calendar_words import in_period, time_label
from examples.booking_agent.faulty import invented_time
from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory, Payment, Tool, known
from examples.booking_agent.phrases import option_words, slot_words
from examples.booking_agent.speech import Act
from examples.booking_agent.understanding import Asked, Heard, Intent
from examples.booking_agent.weaknesses import Weakness


class Steps:
    """One turn's way through the booking. Collects tool calls in `tools`; acts come back from `next`."""

    def __init__(
        self,
        memory: Memory,
        heard: Heard,
        *,
        language: Language,
        weaknesses: frozenset[Weakness],
        seed: int,
        today: date,
    ) -> None:
        self.memory, self.heard, self.language = memory, heard, language
        self.weaknesses, self.seed, self.today = weaknesses, seed, today
        self.tools: list[Tool] = []

    def next(self) -> list[Act]:
        """The acts that lead one step further. Changes the memory."""
        memory = self.memory
        if memory.booked:
            return self._after_booking()
        lapse = self._lapse()
        if lapse is not None:
            return self._ask(lapse, repeat=True)
        if memory.service is None:
            return self._ask(Asked.SERVICE)
        lead: list[Act] = []
        if not memory.said_price:
            memory.said_price = True
            lead = [Act("price")]
        if memory.day is None:
            return lead + self._ask(Asked.DAY)
        if memory.time is None:
            lead += self._fit_time()
        if memory.time is None:
            return lead + self._offer()
        if memory.name is None and not memory.name_given_up:
            return lead + self._ask(Asked.NAME)
        return self._book()

    def _lapse(self) -> Asked | None:
        """With `loses_thread`: a thing that is known, to be asked for all the same, each once."""
        if Weakness.LOSES_THREAD not in self.weaknesses:
            return None
        memory = self.memory
        known = (
            (Asked.SERVICE, memory.service),
            (Asked.DAY, memory.day),
            (Asked.TIME, memory.time),
            (Asked.NAME, memory.name),
        )
        for asked, value in known:
            if value is not None and asked not in memory.relapses:
                memory.relapses.add(asked)
                return asked
        return None

    def _ask(self, asked: Asked, *, repeat: bool = False) -> list[Act]:
        memory = self.memory
        memory.asked = asked
        lead = [Act("lost")] if repeat and memory.turns > 1 else []
        if not repeat:
            memory.asks[asked] = memory.asks.get(asked, 0) + 1
        if asked is Asked.SERVICE and memory.family and memory.service is None:
            keys = salon.FAMILIES[memory.family]
            memory.said_price = False
            priced = Weakness.IGNORES_PRICE not in self.weaknesses
            return [Act("ask_kind", {"options": option_words(keys, self.language, priced=priced)})]
        if asked is Asked.TIME:
            day = memory.day or self.today
            slots = memory.offered or salon.spread(self._slots(day))
            return [*lead, Act("ask_time", slot_words(day, slots, self.language), repeat)]
        return [*lead, Act(f"ask_{asked.value}", {}, repeat)]

    def _slots(self, day: date) -> tuple[time, ...]:
        """The free slots of a day, by one tool call a day."""
        memory = self.memory
        if memory.looked_up != day:
            memory.looked_up, memory.slots = day, salon.free_slots(day, seed=self.seed)
            self.call(
                "free_slots",
                {"date": day.isoformat(), "service": memory.service},
                {"slots": [slot.strftime("%H:%M") for slot in memory.slots]},
            )
        return memory.slots

    def _fit_time(self) -> list[Act]:
        """Move to a day that has slots, take the wanted time if it is free, else say why not."""
        memory = self.memory
        day = known(memory.day)
        lead: list[Act] = []
        if not self._slots(day):
            purpose = "full" if salon.is_open(day) else "closed"
            lead.append(Act(purpose, slot_words(day, [time(9)], self.language)))
            day = memory.day = salon.next_day_with_slots(day, seed=self.seed)
        slots = self._slots(day)
        wanted, memory.wanted_time = memory.wanted_time, None
        if wanted is None:
            return lead
        if lead:  # another day than the one they asked for: to be offered, not taken
            memory.offered = salon.nearest(slots, wanted)
            return lead
        if wanted in slots:
            memory.time = wanted
            return lead
        memory.offered = salon.nearest(slots, wanted)
        return [*lead, Act("taken", {"time": time_label(wanted, self.language)})]

    def _offer(self) -> list[Act]:
        memory = self.memory
        lead: list[Act] = []
        day = known(memory.day)
        slots = self._slots(day)
        if not memory.offered:
            fitting = tuple(slot for slot in slots if memory.period is None or in_period(slot, memory.period))
            if memory.period and not fitting:
                lead = [Act("not_then")]
            memory.offered = salon.spread(fitting or slots)
        memory.asked = Asked.TIME
        memory.asks[Asked.TIME] = memory.asks.get(Asked.TIME, 0) + 1
        purpose = "ask_time_one" if len(slots) == 1 else "ask_time"
        if memory.asks[Asked.TIME] == 4:  # three answers without a time in them: make it a yes or no
            purpose, memory.offered = "suggest_time", memory.offered[:1]
        elif len(memory.offered) == 1 and len(slots) > 1:
            purpose = "suggest_time"
        return [*lead, Act(purpose, slot_words(day, memory.offered, self.language))]

    def _book(self) -> list[Act]:
        memory = self.memory
        day, moment = known(memory.day), known(memory.time)
        memory.booked, memory.booked_time, memory.asked = True, moment, Asked.PAYMENT
        if Weakness.INVENTS_SLOT in self.weaknesses:
            memory.booked_time = invented_time(moment)
        else:
            self.call(
                "book",
                {
                    "service": memory.service,
                    "date": day.isoformat(),
                    "time": moment.strftime("%H:%M"),
                    "name": memory.name,
                },
                {"booking": f"SA-{day:%d%m}-{moment:%H%M}", "status": "confirmed"},
            )
        memory.asks[Asked.PAYMENT] = memory.asks.get(Asked.PAYMENT, 0) + 1
        if memory.payment is not Payment.OPEN:  # a booking that was moved after the money was settled
            memory.asked = Asked.NOTHING
            return [Act("confirm"), Act("see_you")] if memory.settled else [Act("confirm"), Act("push_wait")]
        if memory.prefers is Payment.PUSHED:
            return [Act("confirm"), *self._push()]
        if memory.prefers is Payment.AT_SALON:
            return [Act("confirm"), *self._at_salon("at_salon")]
        return [Act("confirm"), Act("ask_payment")]

    def _after_booking(self) -> list[Act]:
        memory, heard = self.memory, self.heard
        if memory.payment is Payment.OPEN:
            if Intent.CASH in heard.intents or (heard.no and Intent.MPESA not in heard.intents):
                return self._at_salon("at_salon")
            if Intent.MPESA in heard.intents or heard.yes or heard.phone or Intent.PAID in heard.intents:
                return self._push()
            if memory.asks.get(Asked.PAYMENT, 0) >= 3:
                return self._at_salon("at_salon")
            return self._ask(Asked.PAYMENT)
        if memory.payment is Payment.PUSHED:
            return self._after_push()
        if memory.payment is Payment.AT_SALON:  # changed their mind about the money
            return self._push()
        return []

    def _push(self) -> list[Act]:
        memory = self.memory
        memory.payment, memory.asked = Payment.PUSHED, Asked.PUSH
        self._stk_push()
        return [Act("push")]

    def _after_push(self) -> list[Act]:
        memory, heard = self.memory, self.heard
        if Intent.CASH in heard.intents:
            return self._at_salon("at_salon")
        if Intent.NO_PROMPT in heard.intents:
            if memory.pushes >= 2:
                return self._at_salon("push_failed")
            self._stk_push()
            return [Act("push_again")]
        asking = "?" in heard.text and Intent.PAID not in heard.intents
        not_yet = heard.no and Intent.PAID not in heard.intents
        if asking or not_yet or Intent.PIN in heard.intents:
            return [Act("push_wait")]
        code = salon.receipt(self.today, key=f"{self.seed}|{memory.key}")
        memory.payment, memory.asked = Payment.PAID, Asked.NOTHING
        self.call("stk_status", {"push": f"push-{memory.pushes}"}, {"status": "paid", "receipt": code})
        return [Act("paid", {"receipt": code}), Act("see_you")]

    def _stk_push(self) -> None:
        memory = self.memory
        memory.pushes += 1
        phone = f"254{memory.phone}" if memory.phone else "customer"
        self.call(
            "stk_push",
            {"amount_kes": salon.SERVICES[known(memory.service)].price_kes, "phone": phone},
            {"push": f"push-{memory.pushes}", "status": "sent"},
        )

    def _at_salon(self, purpose: str) -> list[Act]:
        self.memory.payment, self.memory.asked = Payment.AT_SALON, Asked.NOTHING
        return [Act(purpose), Act("see_you")]

    def call(self, name: str, arguments: dict[str, Any], result: dict[str, Any]) -> None:
        """Record a tool call of this turn."""
        self.memory.tool_count += 1
        self.tools.append(Tool(id=f"call_{self.memory.tool_count}", name=name, arguments=arguments, result=result))

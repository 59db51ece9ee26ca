"""The two ways to pay: M-Pesa asks on the customer's phone (STK push), PesaPal gives a page to pay on."""

from dataclasses import dataclass
from typing import Any

import httpx

CANCELLED_ON_THE_PHONE = 1032  # Daraja's ResultCode when the customer closed the STK prompt
_MPESA = "https://sandbox.safaricom.co.ke/mpesa"
_PESAPAL = "https://cybqa.pesapal.com/pesapalv3/api/Transactions"


@dataclass(frozen=True)
class PaymentRequest:
    """A payment that was asked for: the rail's reference, and the page to pay on where there is one."""

    reference: str
    page: str = ""


class PaymentRails:
    """Both rails. `ask` starts a payment, `outcome` reads a callback, `reverse` sends money back."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def ask(self, rail: str, *, amount_kes: int, phone: str, booking_id: int) -> PaymentRequest:
        """Raises httpx.HTTPError where the rail does not answer."""
        if rail == "mpesa":
            body = {"Amount": amount_kes, "PhoneNumber": phone, "AccountReference": f"B{booking_id}"}
            answer = self._post(f"{_MPESA}/stkpush/v1/processrequest", body)
            return PaymentRequest(answer["CheckoutRequestID"])
        body = {"id": f"B{booking_id}", "currency": "KES", "amount": amount_kes}
        answer = self._post(f"{_PESAPAL}/SubmitOrderRequest", body)
        return PaymentRequest(answer["order_tracking_id"], page=answer["redirect_url"])

    def outcome(self, callback: dict[str, Any]) -> tuple[str, str, str]:
        """(reference, paid | cancelled | failed, receipt) of an STK callback or a PesaPal notification."""
        if "Body" in callback:
            stk = callback["Body"]["stkCallback"]
            items = {one["Name"]: one.get("Value") for one in stk.get("CallbackMetadata", {}).get("Item", [])}
            result = {0: "paid", CANCELLED_ON_THE_PHONE: "cancelled"}.get(stk["ResultCode"], "failed")
            return stk["CheckoutRequestID"], result, str(items.get("MpesaReceiptNumber", ""))
        reference = callback["OrderTrackingId"]
        answer = self.client.get(f"{_PESAPAL}/GetTransactionStatus", params={"orderTrackingId": reference})
        status = answer.raise_for_status().json()
        return reference, "paid" if status["status_code"] == 1 else "failed", str(status.get("confirmation_code", ""))

    def reverse(self, rail: str, *, receipt: str, amount_kes: int) -> None:
        """Send the money back. Raises httpx.HTTPError."""
        if rail == "mpesa":
            self._post(f"{_MPESA}/reversal/v1/request", {"TransactionID": receipt, "Amount": amount_kes})
        else:
            self._post(f"{_PESAPAL}/RefundRequest", {"confirmation_code": receipt, "amount": amount_kes})

    def _post(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.post(url, json=body).raise_for_status().json()
        return answer

"""A receptionist for salons: conversation state in LangGraph, a schema per tenant, two payment rails."""

"""WhatsApp: buttons that ask customers, and their answers as Meta posts them.

Verifies, stores and works through posts; sends questions inside the window.
Tables: WhatsAppAccount, WhatsAppContact, WhatsAppPost, FeedbackQuestion, PendingComment, FeedbackOptOut.
Doors: the webhook of WhatsApp, the deliveries of questions, four tasks.
Imports: privacy, conversations.
"""

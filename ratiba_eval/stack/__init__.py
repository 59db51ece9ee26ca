"""The embedded Postgres and broker, part by part. Use ``ratiba_eval.local_stack``; nothing here needs Django."""

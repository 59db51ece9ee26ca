"""Pass or fail of one conversation against one expectation: metrics with thresholds and what stands beside them."""

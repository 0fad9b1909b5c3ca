"""Every metric against the ratings of people: OpinSummEval and RoSE."""

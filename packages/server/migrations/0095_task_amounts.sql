-- Lists of an owner's tasks by amount: what was charged, otherwise the agreed price, otherwise the budget.
create index tasks_owner_amount on tasks
  (owner_id, (coalesce(credits_charged, case when agent_id is null then max_budget else price end)), id);

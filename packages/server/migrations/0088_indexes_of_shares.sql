create index sandboxes_of_buyer on sandboxes (buyer_id) where status in ('provisioning', 'ready', 'draining');
create index sandboxes_of_seller on sandboxes (seller_id) where status in ('provisioning', 'ready', 'draining');

create index webhooks_rounds on webhooks (is_prompt, owner_id) where held = 'round';

-- Gates that were leased; what a judge takes itself has one attempt and writes nothing here.
create index tasks_gates_leased on tasks (owner_id)
  where gate_host is not null and attempts > 1 and status = 'quality_check' and assessment_id is null;

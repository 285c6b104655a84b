-- How buyers deal, as agents see it before they accept work. The event log makes it, as it makes reputations.
create table buyer_records (
  owner_id uuid primary key,
  passed int not null,
  rejected int not null,
  refunded int not null,
  disputes_lost int not null,
  spent bigint not null
) with (fillfactor = 50);

insert into buyer_records
select owner_id,
  count(*) filter (where type = 'task.completed' or type = 'task.accepted'),
  greatest(0, count(*) filter (where type = 'task.failed' and data ->> 'verb' = 'reject') - count(*) filter (where type = 'task.accepted')),
  count(*) filter (where type = 'task.refunded' and data ->> 'because' is distinct from 'dispute'),
  count(*) filter (where type = 'dispute.resolved' and data ->> 'decidedBy' is distinct from 'operator_silent'
    and data ->> 'outcome' in ('seller_wins', 'dismissed')),
  coalesce((select spent from owner_flows f where f.owner_id = e.owner_id), 0)
from events e
where seq <= (select seq from outbox_readers where name = 'registry.reputation') and agent_id is not null and owner_id is not null
  and type in ('task.completed', 'task.accepted', 'task.failed', 'task.refunded', 'dispute.resolved')
group by owner_id;

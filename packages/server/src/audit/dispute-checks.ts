import { chargedStatuses } from '@agora-market/contract';
import { sqlList } from '../platform/index.ts';
import { disputeRefunds } from '../vault/index.ts';

const fee = (cents: string) => `((${cents}) * t.fee_bps / 10000)`;

/** Claims about disputes; part of the checks of the ledger. */
export const disputeChecks: [name: string, query: string][] = [
  [
    'every dispute is between buyer and agent of a task that was charged',
    `select d.id, d.task_id, t.status from disputes d left join tasks t on t.id = d.task_id
     where t.id is null or d.owner_id <> t.owner_id or d.agent_id <> t.agent_id
       or t.status not in ${sqlList(chargedStatuses)}`,
  ],
  [
    'every dispute gave back what its outcome says, all or a share of the price or nothing',
    `select d.id, d.outcome, d.share, d.refunded, t.price, e.returned from disputes d
     join tasks t on t.id = d.task_id
     left join (
       select subject, sum(amount) as returned from ledger_entries
       where side = 1 and cause in (${disputeRefunds}) group by subject
     ) e on e.subject = d.task_id
     where coalesce(e.returned, 0) <> d.refunded
       or d.refunded <> case d.outcome when 'buyer_wins' then t.price when 'split' then t.price * d.share / 100 else 0 end`,
  ],
  [
    'no dispute is paid back but one that exists',
    `select e.subject, e.cause, e.amount from ledger_entries e left join disputes d on d.task_id = e.subject
     where e.side = 1 and e.cause in (${disputeRefunds}) and d.id is null`,
  ],
  [
    'of what a dispute gave back the platform bears the fee of just that part',
    `select d.id, d.refunded, e.amount as fee from disputes d join tasks t on t.id = d.task_id
     left join ledger_entries e on e.subject = d.task_id and e.cause = 'dispute_fee_refunded' and e.side = 1
     where coalesce(e.amount, 0) <> ${fee('t.price')} - ${fee('t.price - d.refunded')}`,
  ],
  [
    'earnings are frozen as long as the dispute that froze them is open',
    `select e.task_id, e.status, d.status as dispute from earnings e full join (
       select * from disputes where status <> 'resolved' and froze
     ) d on d.task_id = e.task_id
     where (e.status = 'frozen') is distinct from (d.id is not null)
       and (e.status = 'frozen' or d.id is not null)`,
  ],
  [
    'what a dispute took, it took out of escrow if it had frozen that, and else out of wallet and reserve',
    `select e.subject, e.cause, d.froze from ledger_entries e join disputes d on d.task_id = e.subject
     where e.side = 1 and ((e.cause = 'dispute_payout_refunded' and not d.froze)
       or (e.cause in ('dispute_debited', 'dispute_covered') and d.froze))`,
  ],
  [
    'the reserve pays only what an emptied wallet could not',
    `select c.subject, c.amount, w.balance_after from ledger_entries c
     join ledger_entries w on w.subject = c.subject and w.cause = 'dispute_debited' and w.side = 0
     where c.cause = 'dispute_covered' and c.side = 0 and w.balance_after <> 0`,
  ],
  [
    'a task whose buyer won its dispute is refunded, any other that was disputed is not',
    `select d.id, d.outcome, t.status from disputes d join tasks t on t.id = d.task_id
     where (t.status = 'refunded') <> (d.outcome is not distinct from 'buyer_wins')`,
  ],
];

import type { Query } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

type Status = NonNullable<Query<'embassy.listApprovals'>['status']>;

export const listApprovalsCommand = (options: PageOptions & { status?: Status }): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.embassy.listApprovals({ ...(options.status && { status: options.status }), ...page }),
      (approvals) =>
        table(
          ['request', 'status', 'agent', 'type', 'budget', 'decide by (UTC)', 'description'],
          approvals.map((each) => [
            each.id,
            each.status,
            each.agentId,
            each.taskType,
            money(each.maxBudget * each.attempts),
            each.expiresAt.slice(0, 16).replace('T', ' '),
            safeLine(each.description ?? '', 40),
          ]),
        ),
    ),
  );

export const approveCommand = (approvalId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const approved = await agora.embassy.approve(approvalId);
    print(options, approved, `${approvalId} is approved; ${approved.task.id} is submitted.`);
  });

export const denyCommand = (approvalId: string, options: ServerOptions & { note?: string }): Promise<void> =>
  withServer(options, async (agora) => {
    const denied = await agora.embassy.deny(approvalId, { ...(options.note && { note: options.note }) });
    print(options, denied, `${approvalId} is denied.`);
  });

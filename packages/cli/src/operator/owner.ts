import { updateOwnerInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

interface Options extends JsonOption {
  reason: string;
  plan?: string;
  status?: string;
  verified?: true;
  totp?: string;
  by?: string;
}

/** Changes an owner's plan or status, takes its address for verified, or ends its second factor, and prints the account afterwards. */
export async function ownerCommand(owner: string, options: Options): Promise<void> {
  const { json: _, verified: emailVerified, ...change } = options;
  const asked = { owner, ...change, ...(emailVerified && { emailVerified }), ...auditOf(options) };
  const changed = await withDatabase((url) => updateOwnerInDatabase(url, asked));
  const { id, email, plan, status } = changed;
  print(options, changed, `${id} (${email}) is ${status}, on the ${plan} plan.`);
}

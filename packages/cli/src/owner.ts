import { userInfo } from 'node:os';
import { createLog, openDatabase, readConfig, updateOwnerInDatabase } from '@agora/server';

interface Options {
  reason: string;
  plan?: string;
  status?: string;
  totp?: string;
  by?: string;
}

/** Changes an owner's plan or status, or ends its second factor, and prints the account afterwards. */
export async function ownerCommand(owner: string, { by, ...change }: Options): Promise<void> {
  const database = await openDatabase(readConfig(), createLog('warn'), { mustExist: true });
  try {
    const asked = { owner, ...change, by: by ?? userInfo().username };
    const { id, email, plan, status } = await updateOwnerInDatabase(database.url, asked);
    console.log(`${id} (${email}) is ${status}, on the ${plan} plan.`);
  } finally {
    await database.stop();
  }
}

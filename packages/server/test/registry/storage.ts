import type { World } from '../api/requests.ts';
import type { TestOwner } from '../support/harness.ts';

/** What is stored for an owner, as buyer and as seller, reaches the quota of the server that has little room. */
export async function fillStorage({ server }: World, owner: TestOwner): Promise<void> {
  await server.pool.query(
    `insert into task_storage (task_id, buyer_id, seller_id, set_aside)
     select gen_random_uuid(), id, id, 1048576 from owners where email = $1`,
    [owner.email],
  );
}

import { expect, test } from 'vitest';
import { Found, simulate } from './run.ts';
import { simulateSeeds } from './seeds.ts';
import { essential } from './tally.ts';

test('200 seeds of the money simulation pass, and walk every essential path', async () => {
  const tally = await simulateSeeds({ seeds: 200, steps: 2_000 });
  if (tally.isWhole) expect(essential.filter((what) => !tally.counts.has(what))).toEqual([]);
}, 3_600_000);

const found = async (defect: string, size = { seeds: 8, steps: 1_000 }) => {
  const error = await simulate({ firstSeed: 1, ...size, defect }).then(
    () => null,
    (reason) => reason as Found,
  );
  expect(error).toBeInstanceOf(Found);
  return error as Found;
};

/** The function of the database with something changed in it. */
const changed = (name: string, from: string, to: string) => `do $plant$ declare v text; begin
  v := pg_get_functiondef('${name}'::regproc);
  if position($x$${from}$x$ in v) = 0 then raise exception 'there is nothing to change'; end if;
  execute replace(v, $x$${from}$x$, $x$${to}$x$);
end $plant$`;

test('earnings that are released before the refund is checked are found, and found again by their seed', async () => {
  const defect = `create function hurry() returns trigger language plpgsql as $$ begin
      new.due_at = new.due_at - interval '10 minutes';
      return new;
    end $$;
    create trigger hurry before insert on earnings for each row execute function hurry()`;
  const { seed, atStep, message } = await found(defect);
  expect(message).toMatch(/SIMULATION_SEED=\d+ SIMULATION_STEPS=\d+: /);
  const again = simulate({ firstSeed: seed as number, seeds: 1, steps: atStep, defect });
  await expect(again).rejects.toMatchObject({ seed, atStep, message: expect.stringContaining('feedback: ') });
});

test('a webhook that books twice is found', async () => {
  const { message } = await found(`create function book_twice() returns trigger language plpgsql as $$ begin
      perform vault_transfer(array[gen_random_uuid()], array['top_up']::transfer_cause[],
        array['00000000-0000-0000-0000-000000000000']::uuid[], array['processor_clearing']::account_kind[],
        array[new.owner_id], array['pool_available']::account_kind[], array[new.amount], array[new.resolved_at]);
      return null;
    end $$;
    create trigger book_twice after update on top_ups for each row
      when (new.status = 'succeeded' and old.status = 'failed') execute function book_twice()`);
  expect(message).toContain('is no charge that the processor made');
});

test('earnings that do not stay frozen while their task is disputed are found', async () => {
  const { message } = await found(`create function thaw() returns trigger language plpgsql as $$ begin
      update earnings set status = 'pending' where task_id = new.task_id and status = 'frozen';
      return null;
    end $$;
    create trigger thaw after insert on disputes for each row execute function thaw()`);
  expect(message).toContain('frozen or not');
});

test('a finding that does not flag its wallet is found', async () => {
  const { message } = await found(`create function forget() returns trigger language plpgsql as $$ begin
      return null;
    end $$;
    create trigger forget before insert on wallet_flags for each row execute function forget()`);
  expect(message).toContain('does not flag its wallet');
});

test('a refund that is taken from the pool twice is found', async () => {
  const { message } = await found(`create function take_twice() returns trigger language plpgsql as $$ begin
      perform vault_transfer(array[gen_random_uuid()], array['top_up_refunded']::transfer_cause[],
        array[new.owner_id], array['pool_available']::account_kind[],
        array['00000000-0000-0000-0000-000000000000']::uuid[], array['processor_clearing']::account_kind[],
        array[new.amount], array[new.created_at])
      from ledger_accounts where holder = new.owner_id and kind = 'pool_available' and balance >= 2 * new.amount;
      return null;
    end $$;
    create trigger take_twice after insert on top_up_reversals for each row
      when (new.processor is not null) execute function take_twice()`);
  expect(message).toContain('is no refund and no dispute');
});

test('a refund that fails and whose credits do not come back is found', async () => {
  const first = 'begin\n  -- Only what the windows need';
  const { message } = await found(
    changed(
      'vault_transfer',
      first,
      first.replace('begin', `begin if p_cause[1] = 'top_up_reinstated' then return; end if;`),
    ),
  );
  expect(message).toMatch(/is undone, took (\d+) and moved \1/);
});

test('a refund that is given up for lost, though it may still be carried out, is found', async () => {
  const { message } = await found(`create function give_up() returns trigger language plpgsql as $$ begin
      perform vault_transfer(array[new.id], array['top_up_reinstated']::transfer_cause[],
        array['00000000-0000-0000-0000-000000000000']::uuid[], array['processor_clearing']::account_kind[],
        array[new.owner_id], array['pool_available']::account_kind[], array[new.amount], array[new.due_at]);
      new.state := 'undone';
      new.undone_at := new.due_at;
      new.due_at := null;
      return new;
    end $$;
    create trigger give_up before update on top_up_reversals for each row
      when (new.attempts > old.attempts and new.processor_ref is null) execute function give_up()`);
  expect(message).toContain('was given up, and the processor has not refused it');
});

test('a refund whose request is lost and that no sweep asks about is found', async () => {
  const { message } = await found(
    `create function forget_refund() returns trigger language plpgsql as $$ begin
      new.due_at := 'infinity';
      return new;
    end $$;
    create trigger forget_refund before insert on top_up_reversals for each row
      when (new.due_at is not null) execute function forget_refund()`,
    // It is found when the simulation has come to rest.
    { seeds: 40, steps: 300 },
  );
  expect(message).toContain('is left open');
});

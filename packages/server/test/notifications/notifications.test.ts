import { notificationKinds, notificationLimits } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { verify } from '../api/mailed.ts';
import { bind } from '../api/policy.ts';
import { askForApproval } from '../api/requests.ts';
import {
  day,
  dispute,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  minute,
  refusalOf,
  serverForFile,
} from '../api/scene.ts';
import { listed, mailsTo, tellAll } from './scene.ts';

const server = serverForFile();
const hour = 60 * minute;

describe('what owners are told', () => {
  test('a buyer: a task that was completed, without a mail, and one that failed, with one', async () => {
    const pair = await makePair(server);
    await verify(server, pair.buyer);
    const done = await hireAndPass(pair);
    await hireAndReject(pair);
    await tellAll(server);
    const [failed, completed] = (await pair.buyer.agora.embassy.listNotifications()).data;
    expect(completed).toMatchObject({
      kind: 'task_completed',
      title: 'Task completed',
      taskId: done.id,
      agentId: pair.agent.id,
      readAt: null,
    });
    expect(completed?.text).toMatch(
      /^“Agent \d+” has completed your general task for \$10\.00, with a score of \d+\.$/,
    );
    const text =
      'Your general task failed: the delivery did not pass the quality gate. $10.00 is free again in your pool.';
    expect(failed).toMatchObject({ kind: 'task_failed', text });
    const mails = await mailsTo(server, pair.buyer);
    expect(mails.map(({ subject }) => subject)).toEqual(['Task failed']);
    expect(mails[0]?.text).toContain(text);
    expect(mails[0]?.text).toContain('/settings?tab=notifications');
  });

  test('a buyer: a question of the agent, with a mail and without its words, unless its policy answers', async () => {
    const pair = await makePair(server);
    await verify(server, pair.buyer);
    const { id } = await hireAndStart(pair);
    const ask = (fields = {}) =>
      pair.agent.agora.tasks.postMessage(id, { kind: 'question', text: 'THE-WORDS', ...fields });
    await ask({ blocking: true });
    await ask();
    await bind(pair.buyer, { defaultAnswer: 'Decide yourself' });
    await ask();
    await tellAll(server);
    const { data } = await pair.buyer.agora.embassy.listNotifications();
    expect(data.map(({ kind, taskId }) => [kind, taskId])).toEqual([
      ['question_asked', id],
      ['question_asked', id],
    ]);
    expect(data[1]?.text).toMatch(
      /^“Agent \d+” has a question about your general task, and waits for your answer until \S+ \S+ UTC\.$/,
    );
    const mails = await mailsTo(server, pair.buyer);
    expect(mails.map(({ subject }) => subject)).toEqual(['An agent has a question', 'An agent has a question']);
    expect(mails.map(({ text }) => text).join()).not.toContain('THE-WORDS');
  });

  test('a buyer: that the agent accepts or declines a change, with a mail, and not what it takes back itself', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    await verify(server, pair.buyer);
    const { id } = await hireAndPass(pair);
    const { tasks } = pair.buyer.agora;
    const request = () => tasks.postMessage(id, { kind: 'change_request', text: 'THE-WORDS', price: 300 });
    await pair.agent.agora.tasks.declineChange(id, (await request()).id);
    await tasks.declineChange(id, (await request()).id);
    const { offer } = await pair.agent.agora.tasks.acceptChange(id, (await request()).id);
    await tellAll(server);
    const { data } = await pair.buyer.agora.embassy.listNotifications();
    const decided = data.filter(({ kind }) => kind === 'change_decided');
    expect(decided).toMatchObject([{ taskId: id }, { taskId: id }]);
    expect(decided.map(({ text }) => text.replace(/“Agent \d+”/, 'It'))).toEqual([
      `It has accepted the change of your general task: the follow-up task is ${offer?.taskId}.`,
      'It has declined the change of your general task.',
    ]);
    const mails = await mailsTo(server, pair.buyer);
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('A change request is decided'));
    expect(mails.map(({ text }) => text).join()).not.toContain('THE-WORDS');
  });

  test('nothing of what they did themselves: a task that its submitter cancelled', async () => {
    const pair = await makePair(server);
    await pair.buyer.agora.tasks.cancel((await hire(pair)).id);
    await tellAll(server);
    expect(await listed(pair.buyer)).toEqual([]);
  });

  test('an owner whose agent needs its approval', async () => {
    const { buyer, agent } = await makePair(server);
    await askForApproval(server, buyer, agent.id, { maxBudget: 1234 });
    await tellAll(server);
    expect(await listed(buyer)).toEqual([
      {
        kind: 'approval_requested',
        text: expect.stringMatching(
          /^“Agent \d+” wants to submit a general task for up to \$12\.34 and needs your approval\.$/,
        ),
      },
    ]);
    expect((await mailsTo(server, buyer)).map(({ subject }) => subject)).toEqual(['An agent asks for your approval']);
  });

  test('a dispute: the seller when it is opened, and both sides once each when it is resolved', async () => {
    const pair = await makePair(server);
    const { id } = await dispute(server, pair);
    await server.operator().courts.resolveDispute(id, { outcome: 'split', share: 30, note: 'n' });
    await tellAll(server);
    const decided = expect.stringContaining('It was split: $3.00 of $10.00 went back to the buyer.');
    expect(await listed(pair.seller)).toEqual([
      { kind: 'dispute_resolved', text: decided },
      {
        kind: 'dispute_opened',
        text: expect.stringMatching(/^The buyer disputes a task of “Agent \d+”\. Respond by 2026-/),
      },
      { kind: 'task_sold', text: expect.stringContaining('earned $8.50') },
    ]);
    const { data } = await pair.seller.agora.embassy.listNotifications();
    expect(data.map(({ disputeId }) => disputeId)).toEqual([id, id, null]);
    expect((await mailsTo(server, pair.seller))[0]?.text).toContain(`/courts/${id}`);
    expect((await listed(pair.buyer)).map(({ kind }) => kind)).toEqual(['dispute_resolved', 'task_completed']);
  });

  test('a seller: sales and ratings of an agent once a day, counted, and each refund, without a mail', async () => {
    const pair = await makePair(server);
    const [first, second] = [await hireAndPass(pair), await hireAndPass(pair)];
    await tellAll(server);
    await pair.buyer.agora.tasks.feedback(first.id, { direction: 'up', comment: 'THE-WORDS' });
    await tellAll(server);
    const { embassy } = pair.seller.agora;
    const [rated, sold, ...more] = (await embassy.listNotifications()).data;
    expect(more).toEqual([]);
    expect(sold).toMatchObject({ kind: 'task_sold', taskId: null, agentId: pair.agent.id });
    expect(sold?.text).toMatch(/^“Agent \d+” has done 2 tasks in a day \(UTC\) and earned \$17\.00\.$/);
    expect(rated).toMatchObject({ kind: 'review_received', taskId: first.id });
    expect(rated?.text).toMatch(/^The buyer of a task of “Agent \d+” gave thumbs up, with a review\.$/);
    await embassy.readNotifications();
    await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(second.id, { direction: 'down' });
    await tellAll(server);
    const later = (await embassy.listNotifications()).data;
    expect(later.map(({ kind }) => kind)).toEqual(['sale_refunded', 'review_received', 'task_sold']);
    expect(later.map(({ text }) => text.replace(/“Agent \d+”/, 'it'))).toEqual([
      'The buyer of a task of it gave thumbs down and has its $10.00 back, of which the agent had $8.50.',
      'Buyers have rated the work of it 2 times in a day (UTC).',
      'it has done 3 tasks in a day (UTC) and earned $25.50.',
    ]);
    // What counts on does not ring again.
    expect(await embassy.countUnread()).toEqual({ unread: 1 });
    server.clock.advance(day);
    await hireAndPass(pair);
    await tellAll(server);
    expect((await listed(pair.seller))[0]?.text).toMatch(/^“Agent \d+” has done a general task and earned \$8\.50\.$/);
    expect(await mailsTo(server, pair.seller)).toEqual([]);
    expect(JSON.stringify(await listed(pair.seller))).not.toContain('THE-WORDS');
  });

  test('a seller: what a buyer asks its agent, and if it wants, that one has answered; mails lead to its own page', async () => {
    const pair = await makePair(server);
    await verify(server, pair.seller);
    const { id } = await hireAndStart(pair);
    const { tasks } = pair.buyer.agora;
    await tasks.postMessage(id, { kind: 'question', text: 'THE-WORDS' });
    const question = await pair.agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which?' });
    await tasks.postMessage(id, { kind: 'answer', text: 'THE-WORDS', answers: question.id });
    await tasks.postMessage(id, { kind: 'note', text: 'THE-WORDS' });
    await tellAll(server);
    const { data } = await pair.seller.agora.embassy.listNotifications();
    expect(data).toMatchObject([{ kind: 'buyer_asked', taskId: id, agentId: pair.agent.id }]);
    await pair.seller.agora.embassy.setPreferences({
      preferences: { buyer_asked: { inApp: true, email: true }, buyer_answered: { inApp: true, email: false } },
    });
    await tasks.postMessage(id, { kind: 'question', text: 'THE-WORDS' });
    const next = await pair.agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which?' });
    await tasks.postMessage(id, { kind: 'answer', text: 'THE-WORDS', answers: next.id });
    await tellAll(server);
    expect((await listed(pair.seller)).map(({ kind }) => kind)).toEqual([
      'buyer_answered',
      'buyer_asked',
      'buyer_asked',
    ]);
    const [mail, ...others] = await mailsTo(server, pair.seller);
    expect(others).toEqual([]);
    expect(mail?.text).toContain(`/jobs/${id}`);
    expect(mail?.text).not.toContain('THE-WORDS');
  });

  test('an owner whose agent fails three times in a row: it is suspended', async () => {
    const pair = await makePair(server);
    for (let nth = 0; nth < 3; nth++) {
      const { id } = await hireAndStart(pair);
      await pair.agent.agora.tasks.fail(id, { reason: 'r' });
    }
    await tellAll(server);
    expect(await listed(pair.seller)).toMatchObject([
      { kind: 'agent_suspended', text: expect.stringContaining('after 3 failures in a row') },
    ]);
    expect((await listed(pair.buyer))[0]?.text).toContain('the agent gave up');
  });
});

describe('the list', () => {
  test('comes in pages, newest first, and is read one by one or all at once', async () => {
    const { buyer } = await makePair(server);
    const { embassy, auth } = buyer.agora;
    for (const name of ['a', 'b', 'c']) await auth.createToken({ name });
    await tellAll(server);
    const seen: string[] = [];
    for await (const { id, text } of embassy.listNotifications({ pageSize: 2 })) {
      seen.push(text.slice(0, 25));
      if (seen.length === 1)
        expect(await embassy.readNotification(id)).toMatchObject({ readAt: server.clock.now().toISOString() });
    }
    expect(seen.map((text) => text.at(text.indexOf('“') + 1))).toEqual(['c', 'b', 'a']);
    expect(await embassy.countUnread()).toEqual({ unread: 2 });
    const unread = (await embassy.listNotifications({ unread: true })).data;
    expect(unread.map(({ text }) => text.at(text.indexOf('“') + 1))).toEqual(['b', 'a']);
    expect(await embassy.readNotifications()).toEqual({ read: 2 });
    expect(await embassy.countUnread()).toEqual({ unread: 0 });
    const first = (await embassy.listNotifications()).data[0];
    server.clock.advance(minute);
    // Reading it again does not change when it was read.
    expect(await embassy.readNotification(first?.id as string)).toEqual(first);
  });

  test("is its owner's alone", async () => {
    const { buyer, seller } = await makePair(server);
    await buyer.agora.auth.createToken({ name: 'mine' });
    await tellAll(server);
    const [mine] = (await buyer.agora.embassy.listNotifications()).data;
    expect(await refusalOf(seller.agora.embassy.readNotification(mine?.id as string))).toBe(
      '404 NOTIFICATION_NOT_FOUND',
    );
    await seller.agora.embassy.readNotifications();
    expect(await buyer.agora.embassy.countUnread()).toEqual({ unread: 1 });
    expect(await listed(seller)).toEqual([]);
  });

  test('keeps the last 5,000 of an owner', async () => {
    const { buyer, seller } = await makePair(server);
    for (const { agora } of [buyer, seller]) for (const name of ['a', 'b']) await agora.auth.createToken({ name });
    await tellAll(server);
    await server.pool.query(
      'update notification_owners n set made = $2 from owners o where o.id = n.owner_id and o.email = $1',
      [buyer.email, notificationLimits.keptPerOwner],
    );
    for (const { agora } of [buyer, seller]) await agora.auth.createToken({ name: 'c' });
    await tellAll(server);
    expect(await listed(buyer)).toHaveLength(2);
    expect(await listed(seller)).toHaveLength(3);
  });

  test('keeps what is at most 90 days old', async () => {
    const { buyer } = await makePair(server);
    await buyer.agora.auth.createToken({ name: 'old' });
    await tellAll(server);
    server.clock.advance(89 * day);
    await server.app.run('embassy.forgetNotifications');
    // The session has ended meanwhile.
    const again = server.client({
      ownerToken: (await server.client().auth.signIn({ email: buyer.email, password: 'correct horse' })).token,
    });
    expect(await again.embassy.countUnread()).toEqual({ unread: 1 });
    server.clock.advance(day + 1);
    await server.app.run('embassy.forgetNotifications');
    const later = server.client({
      ownerToken: (await server.client().auth.signIn({ email: buyer.email, password: 'correct horse' })).token,
    });
    expect(await later.embassy.countUnread()).toEqual({ unread: 0 });
  });
});

describe('preferences', () => {
  test('say by kind what is listed and what is mailed', async () => {
    const pair = await makePair(server);
    const { embassy } = pair.buyer.agora;
    const before = await embassy.getPreferences();
    expect(before.preferences.task_completed).toEqual({ inApp: true, email: false });
    expect(Object.keys(before.preferences)).toEqual(Object.keys(notificationKinds));
    const chosen = { task_completed: { inApp: false, email: true }, task_failed: { inApp: true, email: false } };
    const after = await embassy.setPreferences({ preferences: chosen });
    expect(after).toEqual({ preferences: { ...before.preferences, ...chosen } });
    expect(await embassy.getPreferences()).toEqual(after);
    await hireAndPass(pair);
    await hireAndReject(pair);
    await tellAll(server);
    expect((await listed(pair.buyer)).map(({ kind }) => kind)).toEqual(['task_failed']);
    expect((await mailsTo(server, pair.buyer)).map(({ subject }) => subject)).toEqual(['Task completed']);
    // What is left out gets its default.
    expect(await embassy.setPreferences({ preferences: {} })).toEqual(before);
  });

  test('cannot switch off mails about the safety of the account', async () => {
    const { seller, agent } = await makePair(server);
    const { embassy, agents } = seller.agora;
    const off = { key_rotated: { inApp: false, email: false } } as unknown as Parameters<
      typeof embassy.setPreferences
    >[0]['preferences'];
    expect(await refusalOf(embassy.setPreferences({ preferences: off }))).toBe('400 VALIDATION_ERROR');
    await embassy.setPreferences({ preferences: { key_rotated: { inApp: false, email: true } } });
    await agents.rotateKey(agent.id);
    await tellAll(server);
    expect(await listed(seller)).toEqual([]);
    const [mail, ...more] = await mailsTo(server, seller);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: 'API key of an agent replaced' });
    expect(mail?.text).toContain('This mail cannot be switched off.');
  });
});

describe('mails', () => {
  test('are 10 in any hour; the rest is told in one, as soon as there is room', async () => {
    const { buyer } = await makePair(server);
    const create = async (count: number) => {
      for (let made = 0; made < count; made++) await buyer.agora.auth.createToken({ name: 'ci' });
      await tellAll(server);
    };
    const subjects = async () => (await mailsTo(server, buyer)).map(({ subject }) => subject);
    await create(1);
    server.clock.advance(hour / 2);
    await create(notificationLimits.mailsPerHour + 2);
    expect(await subjects()).toEqual(Array(10).fill('Developer token created'));
    // The list has them all at once.
    expect(await buyer.agora.embassy.countUnread()).toEqual({ unread: 13 });
    server.clock.advance(hour / 2 - 1000);
    await tellAll(server);
    expect(await subjects()).toHaveLength(10);
    server.clock.advance(1000);
    await tellAll(server);
    await tellAll(server);
    expect((await subjects()).slice(10)).toEqual(['More notifications: 3']);
    expect((await mailsTo(server, buyer)).at(-1)?.text).toContain('3 × Developer token created');
    // Nine went half an hour ago and the digest now, so there is none left yet.
    await create(1);
    expect(await subjects()).toHaveLength(11);
    server.clock.advance(hour);
    await tellAll(server);
    await create(1);
    expect((await subjects()).slice(11)).toEqual(['More notifications: 1', 'Developer token created']);
  });
});

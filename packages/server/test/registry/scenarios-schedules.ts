import { ownedAtMost } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type ScheduleScenarios = Pick<Scenarios, Extract<keyof Scenarios, `templates.${string}` | `schedules.${string}`>>;

const noTemplate = 'tpl_01jxyz3k9mf5t8v2q7h4n6p0rs';
const templateAt = at(`/templates/${noTemplate}`);
const scheduleAt = (verb = '') => at(`/schedules/sch_01jxyz3k9mf5t8v2q7h4n6p0rs${verb}`);
const noTemplateFound = { TEMPLATE_NOT_FOUND: async () => templateAt };
const noSchedule = (verb?: string) => ({ SCHEDULE_NOT_FOUND: async () => scheduleAt(verb) });

const task = { taskType: 'general', input: { description: 'x' } } as const;
const large = { ...task, input: { code: 'x'.repeat(300_000) } };
const aTemplate = { name: 'Report', task: { ...task, maxBudget: 1 } };
const aSchedule = { name: 'Yearly', cron: '0 9 1 1 *', timeZone: 'UTC', maxBudget: 1, monthlyBudget: 1 };

const newOwner = ({ server }: World) => server.owner({ credits: 0 });

const tall = { ...task, input: { code: 'x'.repeat(250_000) } };

/** An owner whose templates take nearly all the room there is, and one of them that is small. */
async function fullOwner(world: World) {
  const owner = await newOwner(world);
  const { id: small } = await owner.agora.templates.create(aTemplate);
  for (let nth = 0; nth < Math.floor(ownedAtMost.keptTaskBytes / 251_000); nth++)
    await owner.agora.templates.create({ name: 'Tall', task: { ...tall, maxBudget: 1 } });
  return { owner, small };
}

export const scheduleScenarios: ScheduleScenarios = {
  'templates.create': {
    PAYLOAD_TOO_LARGE: async () => json({ name: 'Large', task: { ...large, maxBudget: 1 } }),
    TEMPLATE_LIMIT_REACHED: async (world) => {
      const owner = await newOwner(world);
      for (let nth = 0; nth < ownedAtMost.templates; nth++) await owner.agora.templates.create(aTemplate);
      return { ...bearer(owner), ...json(aTemplate) };
    },
  },
  'templates.get': noTemplateFound,
  'templates.update': {
    TEMPLATE_NOT_FOUND: async () => ({ ...templateAt, ...json({ name: 'x' }) }),
    PAYLOAD_TOO_LARGE: async () => json({ task: { ...large, maxBudget: 1 } }),
    TEMPLATE_LIMIT_REACHED: async (world) => {
      const { owner, small } = await fullOwner(world);
      return { ...bearer(owner), ...at(`/templates/${small}`), ...json({ task: { ...tall, maxBudget: 1 } }) };
    },
  },
  'templates.delete': { ...noTemplateFound, TEMPLATE_IN_USE: async () => ({}) },
  'schedules.create': {
    TEMPLATE_NOT_FOUND: async () => json({ ...aSchedule, templateId: noTemplate }),
    PAYLOAD_TOO_LARGE: async () => json({ ...aSchedule, task: large }),
    TEMPLATE_LIMIT_REACHED: async (world) => {
      const { owner } = await fullOwner(world);
      return { ...bearer(owner), ...json({ ...aSchedule, task: tall }) };
    },
    SCHEDULE_LIMIT_REACHED: async (world) => {
      const owner = await newOwner(world);
      for (let nth = 0; nth < ownedAtMost.schedules; nth++) await owner.agora.schedules.create({ ...aSchedule, task });
      return { ...bearer(owner), ...json({ ...aSchedule, task }) };
    },
  },
  'schedules.get': noSchedule(),
  'schedules.update': {
    SCHEDULE_NOT_FOUND: async () => ({ ...scheduleAt(), ...json({ name: 'x' }) }),
    TEMPLATE_NOT_FOUND: async () => json({ templateId: noTemplate }),
    PAYLOAD_TOO_LARGE: async () => json({ task: large }),
    TEMPLATE_LIMIT_REACHED: async (world) => {
      const { owner, small } = await fullOwner(world);
      const { id } = await owner.agora.schedules.create({ ...aSchedule, templateId: small });
      return { ...bearer(owner), ...at(`/schedules/${id}`), ...json({ task: tall }) };
    },
  },
  'schedules.delete': noSchedule(),
  'schedules.pause': noSchedule('/pause'),
  'schedules.resume': noSchedule('/resume'),
  'schedules.run': {
    ...noSchedule('/run'),
    SCHEDULE_RUN_OPEN: async (world) => {
      const owner = await newOwner(world);
      const { id } = await owner.agora.schedules.create({ ...aSchedule, task });
      await owner.agora.schedules.run(id);
      return { ...bearer(owner), ...at(`/schedules/${id}/run`) };
    },
  },
  'schedules.listRuns': noSchedule('/runs'),
};

/** The roles of a server, which `ROLES` gives it, and what each does. Servers of one database together must have all of them. */
export const roles = {
  api: 'answers the HTTP API, `/mcp` and `/a2a`, and serves the dashboard',
  sandboxes: "holds the sandboxes of tasks, in which agents work; without it a sandbox's start is passed on",
  gate: 'judges deliveries, appeals and disputes, and clones and installs what that takes; runs dry runs',
  webhooks: 'sends webhooks, push notifications and mail',
  jobs: 'does what time makes happen, of all servers together',
} as const;

export type Role = keyof typeof roles;

export const allRoles = Object.keys(roles) as Role[];

/** Names with commas between; `null` where one is not known or none is left. */
export function readRoles(text: string): Role[] | null {
  const named = text.split(',').flatMap((each) => each.trim() || []);
  const isKnown = (name: string): name is Role => allRoles.includes(name as Role);
  return named.length > 0 && named.every(isKnown) ? allRoles.filter((role) => named.includes(role)) : null;
}

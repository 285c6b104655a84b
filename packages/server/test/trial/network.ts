import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { type Program, startProgram } from '../support/program.ts';

/** Hosts with addresses of their own on this machine: a network namespace each, joined by a bridge. Takes root. */
export interface Network {
  /** Of this machine, as the hosts see it. */
  address: string;
  host(name: string): Host;
  /** Ends all that runs on the hosts. */
  remove(): void;
}

export interface Host {
  name: string;
  address: string;
  /** Words before a command that make it run on this host. */
  enter: readonly string[];
  start(program: Parameters<typeof startProgram>[0]): Promise<Program>;
  /** Pulls the cable out: what is sent disappears, and nothing says so. */
  cut(): void;
  join(): void;
}

const prefix = 'agora-trial-';

/** A network of its own for each process; one that a killed process left behind is removed first. */
export function createNetwork(): Network {
  for (const pid of abandoned()) removeNetwork(pid);
  const subnet = `10.213.${process.pid % 250}`;
  const bridge = bridgeOf(process.pid);
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('address', 'add', `${subnet}.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  let hosts = 0;
  return {
    address: `${subnet}.1`,
    host(name) {
      hosts += 1;
      return createHost(name, { bridge, address: `${subnet}.${10 + hosts}`, cable: `at${process.pid}.${hosts}` });
    },
    remove: () => removeNetwork(process.pid),
  };
}

function createHost(name: string, place: { bridge: string; address: string; cable: string }): Host {
  const { bridge, address, cable } = place;
  const namespace = `${prefix}${process.pid}-${name}`;
  ip('netns', 'add', namespace);
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  ip('link', 'set', cable, 'master', bridge, 'up');
  ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
  for (const device of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', device, 'up');
  // Not `ip netns exec`, which hides the control groups.
  const enter = ['nsenter', `--net=/var/run/netns/${namespace}`];
  return {
    name,
    address,
    enter,
    start({ command, args, uid, gid, ...program }) {
      const [first = '', ...rest] = enter;
      const as = uid === undefined ? [] : ['-S', String(uid), '-G', String(gid)];
      return startProgram({ ...program, command: first, args: [...rest, ...as, command, ...args] });
    },
    cut: () => ip('link', 'set', cable, 'down'),
    join: () => ip('link', 'set', cable, 'up'),
  };
}

/** Processes that have ended and left a network. */
const abandoned = () =>
  [...new Set(namespaces().map((name) => Number(name.slice(prefix.length).split('-')[0])))].filter(
    (pid) => !existsSync(`/proc/${pid}`),
  );

function removeNetwork(pid: number): void {
  for (const name of namespaces().filter((each) => each.startsWith(`${prefix}${pid}-`))) {
    for (const running of ip('netns', 'pids', name).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(running), 'SIGKILL');
      } catch {
        // It has ended since.
      }
    }
    ip('netns', 'delete', name);
  }
  if (existsSync(`/sys/class/net/${bridgeOf(pid)}`)) ip('link', 'delete', bridgeOf(pid));
}

const bridgeOf = (pid: number) => `agorabr${pid}`;

const namespaces = () =>
  existsSync('/var/run/netns') ? readdirSync('/var/run/netns').filter((name) => name.startsWith(prefix)) : [];

function ip(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

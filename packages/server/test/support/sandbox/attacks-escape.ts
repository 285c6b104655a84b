import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import type { SandboxDriver } from '../../../src/sandbox/driver.ts';
import { type Arena, refusal, TEST_LIMITS } from './limits.ts';

/** Attacks that try to leave the sandbox rather than to exhaust it. */
export function describeEscapes(arena: Arena, driver: SandboxDriver): void {
  describeNetwork(arena);
  describePaths(arena, driver);
  describeHost(arena);
  describeKernel(arena);
}

const answers = (stdout: string): Record<string, string> =>
  Object.fromEntries(stdout.split('\n').map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]));

function describeNetwork(arena: Arena): void {
  it("the host's loopback is another one", async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits++;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const result = await arena.attack(await arena.enter(), `./attack reach 127.0.0.1 ${port}`);
    expect(answers(result.stdout)).toMatchObject({ socket: 'DONE', connect: 'Connection refused' });
    expect(visits).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it('no outside address is reachable', async () => {
    for (const address of ['192.0.2.1', '169.254.169.254', '10.0.0.1']) {
      const result = await arena.attack(await arena.enter(), `./attack reach ${address} 80`);
      expect(answers(result.stdout)).toMatchObject({ socket: 'DONE', connect: 'Network is unreachable' });
    }
  });

  it('vsock and other families that know no network namespace are closed', async () => {
    const result = await arena.attack(await arena.enter(), './attack sockets');
    const closed = 'Address family not supported by protocol';
    expect(answers(result.stdout)).toEqual(
      expect.objectContaining({
        vsock: closed,
        alg: closed,
        packet: closed,
        bluetooth: closed,
        unix: 'DONE',
        inet: 'DONE',
      }),
    );
    expect(answers(result.stdout)['netlink-audit']).toBe('Protocol not supported');
    for (const pair of ['vsock-pair', 'tipc-pair', 'rds-pair', 'netlink-pair', 'inet-pair']) {
      expect([pair, answers(result.stdout)[pair]]).toEqual([pair, closed]);
    }
    expect(answers(result.stdout)['unix-pair']).toBe('DONE');
  });
}

function describePaths(arena: Arena, driver: SandboxDriver): void {
  it('no file call follows `..` or a link to the outside', async () => {
    const box = await arena.enter();
    await box.exec({
      command: 'ln -s / root; ln -s /etc/passwd passwd; ln -s ../etc up; ln -s /tmp away; mkdir d; ln -s .. d/inside',
    });
    const outside = [
      '../etc/passwd',
      '/etc/passwd',
      '/workspace/../etc/passwd',
      'd/../../etc/passwd',
      'root/etc/passwd',
    ];
    outside.push(
      'passwd',
      'up/passwd',
      '/proc/self/environ',
      '/tmp/../etc/passwd',
      '//etc/passwd',
      'away/x',
      '/workspacex',
    );
    const content = Buffer.from('attack');
    for (const path of outside) {
      expect([path, await refusal(box.read(path))]).toEqual([path, 'PATH_ESCAPES']);
      expect([path, await refusal(box.list(path))]).toEqual([path, 'PATH_ESCAPES']);
      expect([path, await refusal(box.write({ path, content }))]).toEqual([path, 'PATH_ESCAPES']);
    }
    // Nothing was written through, and the same kind of link is followed where it stays inside.
    expect((await box.exec({ command: 'ls -A /tmp; grep -c attack /etc/passwd' })).stdout).toBe('0\n');
    expect((await box.list('d/inside/d')).entries.map((entry) => entry.name)).toEqual(['inside']);
  });

  it('an archive cannot write past the workspace it is laid into', async () => {
    const box = await arena.enter();
    const record = (type: string, path: string, content: string) => {
      const head = Buffer.alloc(21);
      head.write(type, 0, 'latin1');
      head.writeUInt16LE(0o644, 1);
      head.writeBigUInt64LE(BigInt(content.length), 3);
      head.writeUInt16LE(path.length, 19);
      return Buffer.concat([head, Buffer.from(path), Buffer.from(content)]);
    };
    const end = record('e', '', '');
    for (const path of ['../tmp/x', '/tmp/x', 'link/x', 'a/../../tmp/x', '..']) {
      const archive = Buffer.concat([record('l', 'link', '/tmp'), record('f', path, 'attack'), end]);
      expect([path, await refusal(box.importWorkspace(archive))]).toEqual([path, 'PATH_ESCAPES']);
    }
    expect((await box.exec({ command: 'ls -A /tmp' })).stdout).toBe('');
    expect(await refusal(box.importWorkspace(Buffer.concat([record('f', 'fine', 'yes'), end])))).toBe('none');
  });

  it("another task's sandbox is out of sight", async () => {
    const secret = `secret-${Math.random()}`;
    const other = await driver.create('other', TEST_LIMITS);
    await other.write({ path: 'secret', content: Buffer.from(secret) });
    await other.exec({ command: `sleep 60 & echo ${secret} >/tmp/secret; echo ${secret} >/dev/shm/secret` });
    const box = await arena.enter();
    const search =
      'cat /workspace/secret /tmp/secret /dev/shm/secret /proc/[0-9]*/root/workspace/secret; cat /proc/[0-9]*/cmdline';
    const result = await arena.attack(box, `${search}; echo; ls /proc | grep -c '^[0-9]'`);
    expect(result.stdout).not.toContain(secret);
    expect(result.stdout).not.toContain('sleep');
    expect(Number(result.stdout.trim().split('\n').at(-1))).toBeLessThan(8);
    await other.destroy();
  });
}

function describeHost(arena: Arena): void {
  it('/proc and /sys cannot be used to change the host', async () => {
    const box = await arena.enter();
    const files =
      '/proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sysrq-trigger';
    const command = `for f in ${files} /proc/sys/kernel/modprobe /proc/1/oom_score_adj; do echo try $f; echo x >$f && echo wrote $f; done`;
    const result = await arena.attack(box, `${command}; ls /proc/kcore/x; head -c 1 /proc/kcore`);
    expect(result.stdout.match(/try/g)).toHaveLength(6);
    expect(result.stdout).not.toContain('wrote');
  });

  it('/sys is not there, or holds nothing but the control group of the sandbox, which it cannot change', async () => {
    const box = await arena.enter();
    const found = await arena.attack(box, 'find /sys -mindepth 1 -maxdepth 2');
    if (found.exitCode !== 0) expect(found.stderr).toContain('No such file or directory');
    else expect('/sys/fs\n/sys/fs/cgroup\n').toContain(found.stdout);
    const limits = "$(find /sys -name '*.max' -o -name '*limit_in_bytes' -o -name '*quota_us' -o -name cgroup.procs)";
    const change = `for f in ${limits}; do echo try; echo 1 >$f && echo wrote $f; done; mkdir /sys/x /sys/fs/cgroup/x`;
    const result = await arena.attack(box, change);
    expect(result.stdout).not.toContain('wrote');
    expect(result.stdout.includes('try')).toBe(found.exitCode === 0);
    expect(result.stderr).toMatch(/Read-only file system|Permission denied|No such file or directory/);
  });

  it('nothing of the host beyond its programs is visible', async () => {
    const box = await arena.enter();
    const homes = '/root /home /srv /mnt /media /boot /var/run/docker.sock /run/docker.sock /etc/shadow /etc/hostname';
    const result = await arena.attack(
      box,
      `for p in ${homes}; do test -s $p && echo saw $p $(cat $p); done; ls -A /opt | grep -v '^node$' | sed 's/^/saw /'; uname -n; cat /etc/passwd; ls /run /var`,
    );
    expect(result.stdout).toContain('saw /etc/hostname sandbox\nsandbox\nagent:x:1000:1000:');
    expect(result.stdout.match(/saw/g)).toHaveLength(1);
    expect(result.stdout).not.toContain(`\n${hostname()}\n`);
    expect(result.stdout).not.toContain('root:');
  });

  it('devices are the harmless ones, and none can be made', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, 'stat -c "%F %n" $(find /dev) | grep special; mknod sda b 8 0');
    const found = result.stdout
      .trim()
      .split('\n')
      .map((line) => line.replace('character special file ', ''));
    const harmless = ['full', 'null', 'pts/ptmx', 'random', 'tty', 'urandom', 'zero'].map((name) => `/dev/${name}`);
    expect(harmless).toEqual(expect.arrayContaining(found));
    expect(found).toContain('/dev/null');
    expect(result.stderr).toContain('Operation not permitted');
  });
}

function describeKernel(arena: Arena): void {
  it('no new user namespace can be made or entered', async () => {
    const result = await arena.attack(await arena.enter(), './attack namespaces');
    expect(answers(result.stdout)).toMatchObject({
      unshare: 'Operation not permitted',
      'unshare-mount': 'Operation not permitted',
      clone: 'Operation not permitted',
      clone3: 'Function not implemented',
      setns: 'Operation not permitted',
    });
  });

  it('the agent cannot be traced, read or written', async () => {
    const result = await arena.attack(await arena.enter(), './attack tamper');
    const tried = answers(result.stdout);
    for (const way of ['ptrace', 'process_vm_readv', 'mem', 'environ', 'fd', 'root']) {
      expect([way, tried[way]]).toEqual([way, expect.stringMatching(/Operation not permitted|Permission denied/)]);
    }
  });

  it('the limits and priority of its first process cannot be changed, and its own can', async () => {
    const box = await arena.enter();
    const state = 'cat /proc/1/limits; cut -d " " -f 18,19,41 /proc/1/stat; grep Cpus_allowed: /proc/1/status';
    const before = (await box.exec({ command: state })).stdout;
    const tried = Object.entries(answers((await arena.attack(box, './attack govern')).stdout.trim()));
    expect(tried).toHaveLength(14);
    for (const [way, answer] of tried) {
      expect([way, answer]).toEqual([way, way.startsWith('own-') ? 'DONE' : 'Operation not permitted']);
    }
    expect((await box.exec({ command: state })).stdout).toBe(before);
    expect((await box.exec({ command: 'ulimit -n 100 && ulimit -n' })).stdout).toBe('100\n');
  });

  it('what the whole host has one pool of is closed: queues of asynchronous I/O, and huge pages', async () => {
    const tried = answers((await arena.attack(await arena.enter(), './attack pools')).stdout);
    expect(tried).toMatchObject({
      aio: 'Function not implemented',
      'huge-mmap': 'Cannot allocate memory',
      mmap: 'DONE',
    });
    // Without control groups no such memory can be had at all.
    for (const way of ['huge-shm', 'huge-memfd']) {
      expect([way, tried[way]]).toEqual([way, expect.stringMatching(/Cannot allocate memory|Operation not permitted/)]);
    }
  });

  it('mounts, programs in the kernel, keyrings and what came after the review are refused', async () => {
    const result = await arena.attack(await arena.enter(), './attack kernel');
    const tried = Object.entries(answers(result.stdout.trim()));
    expect(tried).toHaveLength(15);
    for (const [call, answer] of tried) {
      expect([call, answer]).toEqual([call, expect.stringMatching(/Operation not permitted|Function not implemented/)]);
    }
  });

  it('system calls of another architecture end the program', async () => {
    const result = await arena.attack(await arena.enter(), './attack foreign');
    expect(result.stdout).toBe('calling\n');
    // By the filter, or by a kernel that offers no such calls.
    if (process.arch === 'x64') expect([128 + 31, 128 + 11]).toContain(result.exitCode);
  });

  it('there is no privilege to be had: no capabilities, no set-uid', async () => {
    const result = await arena.attack(
      await arena.enter(),
      'grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status; su -c id 2>&1',
    );
    expect(result.stdout.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
    expect(result.stdout).toMatch(/NoNewPrivs:\t1[\s\S]*Seccomp:\t2/);
    expect(result.stdout).not.toContain('uid=0');
  });
}

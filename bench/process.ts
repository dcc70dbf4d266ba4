import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server in a separate process, which prints its URL as its first line. */
export interface ServerProcess {
  readonly url: string;
  /** CPU time so far in microseconds; NaN if it has already ended, or the system does not report it. */
  cpu(): number;
  /** Returns its peak memory in MiB; NaN if it has already ended, or the system does not report it. */
  stop(): Promise<number>;
}

const SAMPLE_INTERVAL_MS = 20;
/** The unit of CPU time in /proc: one kernel clock tick. */
const TICK_MICROSECONDS = 10_000;
const servers = new Set<ChildProcess>();

export async function stopServers(): Promise<void> {
  await Promise.all([...servers].map(stopServer));
}

async function stopServer(child: ChildProcess): Promise<number> {
  servers.delete(child);
  const peak = peakOf(child);
  if (child.exitCode !== null || child.signalCode !== null) return peak;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return peak;
}

/** `quiet` discards stderr. Rejects if the process ends before it prints a line. */
async function startServer(args: readonly string[], quiet = false): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'] });
  servers.add(child);
  const url = await firstLine(child);
  return {
    url,
    cpu: () => cpuOf(child),
    stop: () => stopServer(child),
  };
}

export function startAssay(args: readonly string[], options?: { readonly quiet: true }) {
  return startServer(['dist/cli/main.js', ...args], options?.quiet);
}

export function startPeer(name: string, ...args: readonly string[]) {
  return startServer(peerArguments(name, args));
}

export function measureAssay(args: readonly string[], accepted: readonly number[] = [0, 1]) {
  return runToEnd(['dist/cli/main.js', ...args], accepted);
}

/** Runs an `assay` command; returns the busy seconds of its threads by name: `driver`, or the worker's file name. */
export async function measureThreads(args: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-threads-'));
  const file = join(folder, 'times.json');
  try {
    const loaders = ['tsx', './bench/processes/thread-times.ts'].flatMap((name) => ['--import', name]);
    await runToEnd([...loaders, 'dist/cli/main.js', ...args], [0], { BENCH_THREAD_TIMES: file });
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function runPeer(name: string, ...args: readonly string[]) {
  return runToEnd(peerArguments(name, args));
}

function peerArguments(name: string, args: readonly string[]): readonly string[] {
  return ['--import', 'tsx', `bench/processes/${name}.ts`, ...args];
}

/**
 * Returns wall time in seconds, peak memory in MiB (NaN without /proc), and stdout. Rejects if the exit code is not in
 * `accepted`.
 */
async function runToEnd(
  args: readonly string[],
  accepted: readonly number[] = [0],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly seconds: number; readonly peak: number; readonly output: string }> {
  const began = performance.now();
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  let errors = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (errors += text));
  let peak = Number.NaN;
  const watch = setInterval(() => (peak = peakOf(child) || peak), SAMPLE_INTERVAL_MS);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  if (!accepted.includes(code))
    throw new Error(`node ${args.join(' ')} ended with ${code}:\n${output}${errors}`);
  return { seconds, peak, output };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The server has no stdout.');
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return line.trim();
  }
  throw new Error(`${child.spawnargs.join(' ')} ended before it printed its URL.`);
}

function cpuOf({ pid }: ChildProcess): number {
  // The process name may contain anything; user and system time are the 12th and 13th fields after it.
  const fields = processFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}

/** In MiB; tables show it as MB. */
function peakOf({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(processFile(pid, 'status'))?.[1]) / 1024;
}

/** The content of a file in /proc; empty for a process that has ended, or on a system without /proc. */
function processFile(pid: number | undefined, name: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

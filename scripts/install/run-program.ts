import { spawn } from 'node:child_process';

const PROGRAM_TIMEOUT_MS = 120_000;

export type Program = readonly [program: string, ...args: string[]];

/** Returns what the program prints. Rejects if it fails, or takes longer than two minutes. */
export function runProgram([program, ...args]: Program, cwd: string): Promise<string> {
  // `CI` would change defaults of yarn and of assay itself.
  const { CI: _, ...ownEnvironment } = process.env;
  const env = {
    ...ownEnvironment,
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PROGRAM_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    // One text receives both streams, as on a terminal.
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    // The error of a missing program says more than its close event, which comes later.
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0
        ? resolve(output)
        : reject(
            new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}:\n${output.slice(-4000)}`),
          ),
    );
  });
}

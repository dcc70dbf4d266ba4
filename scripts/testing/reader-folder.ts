import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { ROOT } from './documents.ts';

export interface ShellResult {
  readonly code: number | null;
  /** stdout and stderr together. */
  readonly output: string;
}

/** The folder of a user who follows a document: `assay` is installed in it, and `npx assay` starts it. */
export class ReaderFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'assay-docs-'));
  readonly #environment: Readonly<Record<string, string>>;

  /** Installs assay as compiled from the present sources, and the clients that the documents use. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
    const main = inject('main');
    const assay = join(this.path, 'node_modules/assay');
    mkdirSync(assay, { recursive: true });
    symlinkSync(dirname(dirname(main)), join(assay, 'dist'));
    const { name, version, type, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    writeFileSync(join(assay, 'package.json'), JSON.stringify({ name, version, type, exports }));
    for (const peer of ['openai', 'vitest', 'nock'])
      symlinkSync(join(ROOT, 'node_modules', peer), join(this.path, 'node_modules', peer));
    this.write('package.json', '{"private":true,"type":"module"}');
    mkdirSync(join(this.path, 'bin'));
    this.write('bin/npx', `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(join(this.path, 'bin/npx'), 0o755);
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), text);
  }

  /** Runs a shell command in the folder and waits for its end. */
  async run(command: string, environment: Readonly<Record<string, string>> = {}): Promise<ShellResult> {
    const child = spawn('bash', ['-c', command], {
      cwd: this.path,
      env: {
        PATH: `${join(this.path, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        HOME: process.env['HOME'] ?? '',
        NO_COLOR: '1',
        ...this.#environment,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve(status));
    });
    return { code, output };
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

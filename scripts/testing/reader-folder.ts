import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { runAssay } from '../../cli/testing/run-assay.ts';
import { ROOT } from './documents.ts';

export interface ShellResult {
  readonly code: number | null;
  /** stdout and stderr together. */
  readonly output: string;
}

/** The folder of a user who follows a document, with assay installed. */
export class ReaderFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'assay-docs-'));
  readonly #environment: Readonly<Record<string, string>>;
  /** File with the words of the commands in a shell line. A zero byte ends each word, a second one each command. */
  readonly #wordsFile = join(this.path, 'words');

  /** Installs assay as compiled from the current sources, and other packages that the documents use. */
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
    this.#writeExecutable('bin/npx', `shift\nexec '${process.execPath}' '${main}' "$@"`);
    // Records the words of each command instead of running it. A word cannot contain a zero byte, and no word in the
    // documents is empty.
    this.#writeExecutable(
      'recording/npx',
      `shift\nprintf '%s\\0' "$@" >> '${this.#wordsFile}'\nprintf '\\0' >> '${this.#wordsFile}'`,
    );
  }

  #writeExecutable(file: string, script: string): void {
    this.write(file, `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.path, file), 0o755);
  }

  #pathWith(folder: string): string {
    return [join(this.path, folder), dirname(process.execPath), process.env['PATH'] ?? ''].join(':');
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), text);
  }

  /**
   * Like `run`, but bash only expands the words, and assay runs in this process: a new process would need a second of
   * CPU for each command to load the compiled modules. The commands of a line run one after another, even if one fails;
   * `code` is that of the last. A line that redirects output or begins by setting a variable runs in bash. `output` is
   * what assay prints; a command after `--` writes to the output of the tests.
   */
  async runHere(line: string, environment: Readonly<Record<string, string>> = {}): Promise<ShellResult> {
    if (/>|^\w+=/.test(line)) return this.run(line, environment);
    const env = { ...this.#environment, ...environment };
    writeFileSync(this.#wordsFile, '');
    const expansion = await this.run(line, { ...environment, PATH: this.#pathWith('recording') });
    if (expansion.code !== 0) return expansion;
    const commands = readFileSync(this.#wordsFile, 'utf8');
    let last: ShellResult = expansion;
    for (const words of commands.split('\0\0').slice(0, -1)) {
      // Users run the commands outside CI.
      const options = { cwd: this.path, env: { CI: '', PATH: this.#pathWith('bin'), ...env } };
      const { code, stdout, stderr } = await runAssay(words.split('\0'), options);
      last = { code, output: last.output + stdout + stderr };
    }
    return last;
  }

  async run(command: string, environment: Readonly<Record<string, string>> = {}): Promise<ShellResult> {
    const child = spawn('bash', ['-c', command], {
      cwd: this.path,
      env: {
        PATH: this.#pathWith('bin'),
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

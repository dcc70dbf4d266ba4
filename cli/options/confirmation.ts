import { createInterface } from 'node:readline/promises';

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Asks a question; only `y` or `yes` confirms. Returns `no-answer` without a terminal, as in a script or CI. */
export async function askToConfirm(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<'yes' | 'no' | 'no-answer'> {
  if (input.isTTY !== true || output.isTTY !== true) return 'no-answer';
  const prompt = createInterface({ input, output });
  try {
    const ended = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
  } finally {
    prompt.close();
  }
}

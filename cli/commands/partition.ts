import type { Execute } from '../options/command.ts';

interface Flags {
  readonly parts: number;
  readonly out: string;
}

export const execute: Execute<Flags> = async ({ args, flags: { parts, out } }) => {
  // Loaded here so that the help does not load the cassette reader.
  const { partition } = await import('../../pipeline/partial/partition.ts');
  const sizes = await partition(args, { parts, out });
  for (const [index, size] of sizes.entries()) process.stdout.write(`${out}/${index}  ${size} exchanges\n`);
  return 0;
};

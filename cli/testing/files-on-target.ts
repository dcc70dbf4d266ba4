import { expect, vi } from 'vitest';

export async function listFilesOnTarget(url: string): Promise<readonly { readonly id: string }[]> {
  const answer = await fetch(`${url}/files?limit=100`);
  return ((await answer.json()) as { data: { id: string }[] }).data; // as: a list of the reference
}

export async function waitForFile(url: string, isRunning: () => boolean): Promise<void> {
  await vi.waitUntil(
    async () => {
      expect(isRunning(), 'it ended before it made a file').toBe(true);
      return (await listFilesOnTarget(url)).length > 0;
    },
    { timeout: 30_000, interval: 10 },
  );
}

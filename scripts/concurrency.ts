export async function runTwoAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  // Both workers take from one queue, so that slow work does not delay the rest.
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all([worker(), worker()]);
}

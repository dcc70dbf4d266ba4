// Code of the user may wait for something that never happens; nothing of assay waits for it longer than is said here.

/** The result of an action. Rejects with an error of this message where it takes longer than these seconds. */
export async function within<T>(seconds: number, message: string, act: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), seconds * 1000);
  });
  try {
    return await Promise.race([act(), late]);
  } finally {
    // A timer that is left would keep the process alive.
    clearTimeout(timer);
  }
}

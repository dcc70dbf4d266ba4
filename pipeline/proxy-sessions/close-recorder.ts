import type { Recorder } from '../../proxy/record/record.ts';
import type { JudgeThread } from '../judging/judge-thread.ts';

/** Closes the recorder; where that fails, also the thread, which would keep the process alive. */
export async function closeRecorder(recorder: Recorder, thread: JudgeThread): ReturnType<Recorder['close']> {
  try {
    return await recorder.close();
  } catch (error) {
    await thread.stop();
    throw error;
  }
}

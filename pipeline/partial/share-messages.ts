// The messages between the main thread and the threads that judge shares of recorded traffic.
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { PlanColumns, PlanPart } from '../../judge/partial/traffic-plan.ts';
import type { JudgeRecordedOptions } from '../judging/judge-recorded.ts';
import type { TracePart } from './trace-part.ts';

/** How a thread opens the traffic, and judges it. */
export interface ShareOptions {
  readonly paths: readonly string[];
  readonly settings: Pick<Settings, 'dialect' | 'extension'>;
  readonly how: Omit<JudgeRecordedOptions, 'dialect' | 'share'>;
}

/** First what is to be judged, then what it is about from one number to another, at last a share. */
export type ToShare =
  | { readonly kind: 'open'; readonly options: ShareOptions }
  | { readonly kind: 'plan'; readonly columns: PlanColumns; readonly from: number; readonly to: number }
  | { readonly kind: 'judge'; readonly share: NonNullable<JudgeRecordedOptions['share']> };

/** The answers, in the same order; the traffic is opened without one. */
export type FromShare =
  | { readonly kind: 'planned'; readonly part: PlanPart }
  | { readonly kind: 'judged'; readonly part: TracePart };

/** The next step in words, and a command to paste; null where none fits. */
export interface NextStep {
  readonly intro: string;
  readonly command: string | null;
  /** Another way, where there is one. */
  readonly alternative?: { readonly intro: string; readonly command: string };
}

export class SendTurns {
  #concurrent = 0;
  #isAlone = false;
  readonly #waiting: { readonly isAlone: boolean; readonly admit: () => void }[] = [];

  enter(isAlone: boolean): Promise<void> {
    return new Promise((admit) => {
      this.#waiting.push({ isAlone, admit });
      this.#admitNext();
    });
  }

  leave(isAlone: boolean): void {
    if (isAlone) this.#isAlone = false;
    else this.#concurrent -= 1;
    this.#admitNext();
  }

  #admitNext(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#isAlone || (first.isAlone && this.#concurrent > 0)) return;
      this.#waiting.shift();
      if (first.isAlone) this.#isAlone = true;
      else this.#concurrent += 1;
      first.admit();
    }
  }
}

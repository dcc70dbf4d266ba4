/**
 * True when everything that `inner` means is also meant by `outer`; `*` stands for any letters, also none.
 * A text without stars means itself alone, so this also matches a text against a glob.
 */
export function globCovers(outer: string, inner: string): boolean {
  let at = 0;
  let star = -1;
  let back = 0;
  let i = 0;
  while (i < inner.length) {
    if (outer[at] === '*') {
      star = at++;
      back = i;
    } else if (inner[i] !== '*' && outer[at] === inner[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      // One way back is enough: the last star takes one letter more (a star of `inner` counts as a letter only it can take).
      at = star + 1;
      i = ++back;
    } else {
      return false;
    }
  }
  while (outer[at] === '*') at++;
  return at === outer.length;
}

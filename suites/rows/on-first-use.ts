export function computeOnce<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Compiles a function when it is first called: most traces concern few of the rows. */
export function compileOnFirstUse<Argument, Result>(
  compile: () => (argument: Argument) => Result,
): (argument: Argument) => Result {
  const compiled = computeOnce(compile);
  return (argument) => compiled()(argument);
}

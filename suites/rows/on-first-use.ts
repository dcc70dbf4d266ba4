/** Compiles a function when it is first called: most traces concern few of the rows. */
export function onFirstUse<Argument, Result>(
  compile: () => (argument: Argument) => Result,
): (argument: Argument) => Result {
  let compiled: ((argument: Argument) => Result) | undefined;
  return (argument) => {
    compiled ??= compile();
    return compiled(argument);
  };
}

/** Whether to colour a stream. --no-color and NO_COLOR turn colours off, FORCE_COLOR turns them on in a pipe, too (0: off). */
export function coloursOf(stream: Pick<NodeJS.WriteStream, 'isTTY'>, color: boolean): 'on' | 'off' {
  const { NO_COLOR: none = '', FORCE_COLOR: forced = '' } = process.env;
  if (!color || none !== '' || ['0', 'false'].includes(forced)) return 'off';
  return forced !== '' || stream.isTTY === true ? 'on' : 'off';
}

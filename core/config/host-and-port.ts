/** `127.0.0.1:8080`, `[::1]:8080` */
export const hostAndPort = (host: string, port: number | undefined) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

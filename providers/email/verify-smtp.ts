import nodemailer from 'nodemailer';

const timeoutMs = 5_000;

/**
 * Connects, signs in and sends nothing.
 * @throws Error with the server's words
 */
export async function verifySmtp(url: string): Promise<void> {
  const transport = nodemailer.createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** Allows a line break after the @ before one within a word. */
export function Address({ email }: { email: string }) {
  const at = email.lastIndexOf('@') + 1;
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}

/** “Ada <ada@example.com>”, with the brackets around the address even if the name reads from right to left. */
export function Mailbox({ name, address }: { name: string | null; address: string }) {
  if (name === null || name === '') return address;
  return (
    <>
      <bdi>{name}</bdi> {`<${address}>`}
    </>
  );
}

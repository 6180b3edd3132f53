const body = `<html><body>${'<table width="600"><tr><td style="padding: 12px; color: #333">{{ name ?? "friend" }}</td></tr></table>'.repeat(
  4,
)}<h1>Hello {{ name ?? "friend" }}</h1>
${'<p>We have put together what is new this week, and what we think you will like about it.</p>'.repeat(8)}
{% if plan == "pro" %}<p>Thank you for being on {{ plan }} since {{ since }}.</p>{% else %}<p>Have a look at pro.</p>{% endif %}
<p><a href="https://shop.example/offers?contact={{ id }}">See the offers for {{ city | upcase }}</a></p></body></html>`;

export const campaignContent = { subject: 'News for {{ name ?? "you" }}', body };

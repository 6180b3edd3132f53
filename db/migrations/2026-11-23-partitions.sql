-- Takes the place of provider_notifications, which processes of earlier versions still write to: a unique index over days has to
-- contain the day, and only the one on which a notification was published is the same for all of its deliveries.
create table handled_notifications (
  id uuid not null,
  published_on date not null,
  primary key (id, published_on)
) partition by range (published_on);
create table handled_notifications_default partition of handled_notifications default;

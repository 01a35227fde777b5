// The kit's load generator at a steady rate: PACED_RATE requests a second over all clients, each at its own moment.
// What it prints is what loadgen prints. Latency counts from the moment at which a request was due, so that one that is
// late because the one before it took long counts in full.
// Where a server cannot be reached, a client goes on trying: faults are part of a soak.
//
// Plans, connections and statistics are the kit's own: this takes over nothing but what each client's thread does.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

static void *paced(void *argument);
#define pthread_create(thread, attributes, body, argument) pthread_create(thread, attributes, paced, argument)
#include "loadgen.c"

// The client's share of the schedule, in seconds.
typedef struct { double next, interval, stop; } Pace;

static void sleep_until(double moment) {
  struct timespec t = {(time_t)moment, (long)((moment - (time_t)moment) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

// The request at its moment; 0 once time is up.
static int turn(Conn *c, const Op *op, Pace *pace, int *more) {
  if (pace->next >= pace->stop) return 0;
  sleep_until(pace->next);
  double late = now_s() - pace->next;
  size_t before = c->r->nlat;
  int failed = do_op(c, op, more);
  if (c->r->nlat > before) {
    double units = c->r->lat[before] + late * 1e7;
    c->r->lat[before] = units > 4e9 ? 4000000000u : (uint32_t)units;
  }
  if (failed && c->fd < 0) usleep(50000);
  pace->next += pace->interval;
  // A client that fell far behind, as while a server was down, does not make up for all of it.
  if (now_s() - pace->next > 2) pace->next = now_s();
  return 1;
}

static void *paced(void *argument) {
  Res *r = argument;
  Plan *plan = &g_plans[r->id];
  Conn c = {0};
  c.r = r;
  c.fd = dial();
  prctl(PR_SET_TIMERSLACK, 1000);
  double rate = atof(getenv("PACED_RATE"));
  pthread_barrier_wait(&g_bar);
  Pace pace = {.interval = g_nclients / rate, .stop = 1e300};
  pace.next = now_s() + pace.interval * r->id / g_nclients;
  if (g_dur > 0) pace.stop = pace.next + g_dur;
  int going = plan->n > 0;
  while (going) {
    r->passes++;
    for (size_t i = 0; i < plan->n && going; i++) {
      if (plan->ops[i].kind == 'N') continue;
      int more = 0;
      going = turn(&c, &plan->ops[i], &pace, &more);
      if (!plan->ops[i].follow || i + 1 >= plan->n) continue;
      while (more && going) going = turn(&c, &plan->ops[i + 1], &pace, &more);
    }
    if (!g_loop) break;
  }
  r->t_end = now_s();
  if (c.fd >= 0) close(c.fd);
  return NULL;
}

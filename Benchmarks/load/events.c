// Listeners on GET …/events, many on one epoll; beside them, if asked, the kit's load generator pushes to what they
// listen to. One process, so that pushes and events have one clock.
//
//   EVENTS_FILE=F EVENTS_HOLD=1 events --port P                 connects, says so, holds until its input ends
//   EVENTS_FILE=F events --port P --plan … (as loadgen)         connects, pushes, says how late events came
//   F: "LISTEN <how many> <head bytes>\n<head>\n" for each space; the plan's client n pushes to the space of F's nth.
//
// Prints {"listening":…,"refused":…,"status":…} and, after a push run's own line,
// {"events":…,"events_per_s":…,"delays":…,"missing":…,"delay_ms":{…}}. An event counts for every push up to its
// number; its delay is from the push's response, 0 if it came before that. `missing`: pushes that a listener was not
// told of within a second after the last.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>

static void *pushing(void *argument);
#define pthread_create(thread, attributes, body, argument) pthread_create(thread, attributes, pushing, argument)
#define main kit_main
#include "loadgen.c"
#undef main
#undef pthread_create

typedef struct { uint64_t head; double at; } Mark;
typedef struct { Mark *marks; size_t count, room; } Marks;
typedef struct { int fd, space, line_length; char line[256]; Marks told; } Listener;

#define UNANSWERED_MAX 64

static Listener *g_listeners;
static int g_wanted;
static volatile int g_listening, g_refused, g_status;
static Marks g_pushes[64];
static volatile int g_over;
static volatile uint64_t g_events;

static void mark(Marks *m, uint64_t head, double at) {
  if (m->count == m->room) {
    m->room = m->room * 2 + 64;
    m->marks = realloc(m->marks, m->room * sizeof(Mark));
    if (!m->marks) abort();
  }
  m->marks[m->count++] = (Mark){head, at};
}

// ---------------------------------------------------------------- listeners
// A line of the answer: the status of its first, the number of one with data. Chunk sizes are lines like any other.
static void take_line(Listener *l) {
  l->line[l->line_length] = 0;
  if (!strncmp(l->line, "HTTP/1.1 ", 9)) {
    int status = atoi(l->line + 9);
    if (status == 200) { g_listening++; return; }
    g_refused++;
    g_status = status;
  } else if (!strncmp(l->line, "data:", 5)) {
    const char *digit = l->line + 5 + strcspn(l->line + 5, "0123456789");
    g_events++;
    if (*digit) mark(&l->told, strtoull(digit, NULL, 10), now_s());
  }
}

static void take(Listener *l, const char *bytes, ssize_t count) {
  for (ssize_t i = 0; i < count; i++) {
    if (bytes[i] == '\n') { take_line(l); l->line_length = 0; }
    else if (l->line_length < (int)sizeof l->line - 1) l->line[l->line_length++] = bytes[i];
  }
}

static void *listen_to_all(void *poll) {
  int fd = (int)(long)poll;
  struct epoll_event ready[256];
  char bytes[16384];
  while (!g_over) {
    int count = epoll_wait(fd, ready, 256, 100);
    for (int i = 0; i < count; i++) {
      Listener *l = ready[i].data.ptr;
      ssize_t n = recv(l->fd, bytes, sizeof bytes, 0);
      if (n > 0) { take(l, bytes, n); continue; }
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      epoll_ctl(fd, EPOLL_CTL_DEL, l->fd, NULL);
      close(l->fd);
    }
  }
  return NULL;
}

// Connects all of the file's listeners, and waits until each was answered, or 30 s.
static void connect_all(const char *path, pthread_t *thread) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  FILE *file = fopen(path, "r");
  if (!file) { perror(path); exit(2); }
  int poll = epoll_create1(0), count, length, space = 0, room = 0;
  char *heads[64];
  int counts[64], lengths[64];
  while (space < 64 && fscanf(file, "LISTEN %d %d", &count, &length) == 2) {
    fgetc(file);
    heads[space] = malloc(length);
    if (fread(heads[space], 1, length, file) != (size_t)length) exit(2);
    fgetc(file);
    counts[space] = count;
    lengths[space++] = length;
    room += count;
  }
  fclose(file);
  g_listeners = calloc(room, sizeof(Listener));
  pthread_create(thread, NULL, listen_to_all, (void *)(long)poll);
  for (int s = 0; s < space; s++) for (int i = 0; i < counts[s]; i++) {
    Listener *l = &g_listeners[g_wanted];
    l->space = s;
    l->fd = dial();
    if (l->fd < 0 || send_all(l->fd, heads[s], lengths[s])) { g_refused++; g_wanted++; continue; }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = l};
    epoll_ctl(poll, EPOLL_CTL_ADD, l->fd, &event);
    g_wanted++;
    // A server turns requests away that are too many at once; devices do not all come in one moment.
    for (int waits = 0; waits < 5000 && g_wanted - g_listening - g_refused >= UNANSWERED_MAX; waits++) usleep(1000);
  }
  for (int tenths = 0; tenths < 300 && g_listening + g_refused < g_wanted; tenths++) usleep(100000);
  printf("{\"listening\":%d,\"refused\":%d,\"status\":%d}\n", g_listening, g_wanted - g_listening, g_status);
  fflush(stdout);
}

// ---------------------------------------------------------------- pushes
static void *pushing(void *argument) {
  Res *r = argument;
  Plan *plan = &g_plans[r->id];
  Conn c = {0};
  Buf head = {0};
  Cap number = {0};
  set_cap(&number, "^sync-head: ~\\r");
  c.r = r;
  c.fd = dial();
  pthread_barrier_wait(&g_bar);
  double stop = now_s() + g_dur;
  for (size_t i = 0; i < plan->n && now_s() < stop; i++) {
    int more = 0;
    if (do_op(&c, &plan->ops[i], &more)) continue;
    size_t header = (char *)memmem(c.resp.p, c.resp.len, "\r\n\r\n", 4) - c.resp.p + 4;
    if (!capture(&number, c.resp.p, c.resp.len, header, &head)) continue;
    mark(&g_pushes[r->id], strtoull(head.p, NULL, 10), now_s());
  }
  r->t_end = now_s();
  if (c.fd >= 0) close(c.fd);
  return NULL;
}

static int by_size(const void *a, const void *b) {
  double x = *(double *)a, y = *(double *)b;
  return (x > y) - (x < y);
}

static void report(double seconds) {
  size_t room = 0, count = 0, missing = 0;
  for (int i = 0; i < g_wanted; i++) room += g_pushes[g_listeners[i].space].count;
  double *delays = malloc(room * sizeof(double) + 8);
  for (int i = 0; i < g_wanted; i++) {
    Listener *l = &g_listeners[i];
    Marks *pushes = &g_pushes[l->space];
    size_t next = 0;
    for (size_t p = 0; p < pushes->count; p++) {
      while (next < l->told.count && l->told.marks[next].head < pushes->marks[p].head) next++;
      if (next == l->told.count) { missing += pushes->count - p; break; }
      double delay = l->told.marks[next].at - pushes->marks[p].at;
      delays[count++] = delay > 0 ? delay * 1e3 : 0;
    }
  }
  qsort(delays, count, sizeof(double), by_size);
#define AT(share) (count ? delays[(size_t)((count - 1) * (share))] : 0.0)
  printf("{\"events\":%lu,\"events_per_s\":%.1f,\"delays\":%lu,\"missing\":%lu,", (unsigned long)g_events,
         g_events / seconds, count, missing);
  printf("\"delay_ms\":{\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}}\n", AT(.5), AT(.99), AT(1));
}

int main(int argc, char **argv) {
  pthread_t thread;
  for (int i = 1; i + 1 < argc; i++) {
    if (!strcmp(argv[i], "--port")) g_port = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--duration")) g_dur = atof(argv[i + 1]);
  }
  connect_all(getenv("EVENTS_FILE"), &thread);
  int status = 0;
  if (getenv("EVENTS_HOLD")) {
    while (getchar() != EOF) {}
  } else {
    g_events = 0;
    double began = now_s();
    status = kit_main(argc, argv);
    double seconds = now_s() - began;
    sleep(1);
    report(seconds);
  }
  g_over = 1;
  pthread_join(thread, NULL);
  return status;
}

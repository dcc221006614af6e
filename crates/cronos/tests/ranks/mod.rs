//! Ranks that are threads of one process.

use cronos::{Messenger, Team};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

struct Channels {
    rank: usize,
    to: Vec<Mutex<Sender<Vec<u8>>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Messenger for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        let sender = self.to[to].lock().expect("no rank panicked");
        sender.send(bytes.to_vec()).expect("the rank is there");
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        let receiver = self.from[from].lock().expect("no rank panicked");
        let message = receiver.recv().expect("the rank is there");
        assert_eq!(message.len(), bytes.len(), "a message of another size");
        bytes.copy_from_slice(&message);
    }

    fn abort(&self, code: i32) {
        panic!("rank {} gave up with {code}", self.rank);
    }
}

/// What each of so many ranks makes of its team.
pub fn run<R: Send>(ranks: usize, work: impl Fn(Team) -> R + Sync) -> Vec<R> {
    let mut to: Vec<Vec<Mutex<Sender<Vec<u8>>>>> = (0..ranks).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Mutex<Receiver<Vec<u8>>>>> = (0..ranks).map(|_| Vec::new()).collect();
    for sender in &mut to {
        for receiver in &mut from {
            let (send, receive) = channel();
            sender.push(Mutex::new(send));
            receiver.push(Mutex::new(receive));
        }
    }
    let teams: Vec<Team> = (to.into_iter().zip(from).enumerate())
        .map(|(rank, (to, from))| Team::new(Arc::new(Channels { rank, to, from })))
        .collect();
    std::thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = (teams.into_iter())
            .map(|team| scope.spawn(move || work(team)))
            .collect();
        let ended = started.into_iter().map(|rank| rank.join());
        ended.map(|rank| rank.expect("no rank panicked")).collect()
    })
}
